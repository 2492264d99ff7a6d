import type { Parsed } from '#contract/api.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { WAITING_AHEAD_MS, WAITING_MAX, WAITING_WITHIN_MS, type WaitingOrder } from '#contract/trading/waiting.ts'
import type { Ms } from '#kernel/time.ts'
import { currentPrice, levelOf, priceText } from '../alerts/index.ts'
import { lockAccountById } from '../identity/index.ts'
import { accountOf, keptAnswer, type RequestKey } from '../ledger/index.ts'
import { inTransaction, type Tx } from '../platform/database/db.ts'
import { accountRequired, type Who } from '../platform/http/index.ts'
import { requireListed } from '../price-lists/index.ts'
import type { Tick } from '../prices/index.ts'
import type { WaitingDeps } from './deps.ts'
import {
  deleteOrder,
  deleteWaiting,
  insertOrder,
  lockOrder,
  moveOrder,
  refuseTriggered,
  type StoredTerms,
  toOrder,
  type WaitingRow,
} from './store.ts'

type Body = Parsed<'POST /waiting-orders', 'body'>

/** The shortest time that an order for a price is valid, ms: engines have read it by then. */
const VALID_AT_LEAST_MS = 60_000

/** Places an order that waits, or returns the one of the same key. */
export function placeOrder(
  deps: WaitingDeps,
  { userId, isGuest }: Who,
  body: Body,
  key: RequestKey | undefined,
): Promise<WaitingOrder> {
  if (isGuest && body.mode === 'real') throw accountRequired()
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    if (key && (await deps.keys.find(tx, userId, key)) !== undefined) {
      const kept = await keptAnswer<WaitingOrder>(tx, userId, key)
      if (kept) return kept
    }
    const row = await insertOrder(tx, accountOf(userId, body.mode), termsOf(deps, body), WAITING_MAX)
    if (!row)
      throw new Problem(
        'limit_reached',
        `${WAITING_MAX} orders are waiting, the most there can be. Cancel one you no longer need.`,
      )
    const order = toOrder(deps.instruments, row)
    if (key) await deps.keys.store(tx, userId, key, 'waiting_order', row.id, order)
    announce(deps, tx)
    return order
  })
}

/** Moves an order that waits for a price to another price. */
export function movePrice(deps: WaitingDeps, { userId }: Who, id: bigint, text: string): Promise<WaitingOrder> {
  return inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId)
    const row = await waiting(tx, userId, id, 'moved')
    if (row.condition === 'at_time') throw fieldProblem('level', "isn't what this order waits for")
    const { instrument, base } = currentPrice(deps, deps.instruments.byId(row.symbol_id)?.symbol ?? '')
    const level = levelOf(text, instrument.scale)
    requireAhead(row.condition, level, base)
    const moved = await moveOrder(tx, row, { level, ...baseOf(base) })
    announce(deps, tx)
    return toOrder(deps.instruments, moved)
  })
}

/** Cancels an order that waits. */
export function cancelOrder({ db, bus }: Pick<WaitingDeps, 'db' | 'bus'>, { userId }: Who, id: bigint): Promise<void> {
  return inTransaction(db, async (tx) => {
    await lockUser(tx, userId)
    await deleteOrder(tx, await waiting(tx, userId, id, 'cancelled'))
    tx.afterCommit(() => bus.publish('waiting-changed', { cancelled: String(id) }))
  })
}

/**
 * Cancels all orders that wait of a trader whose account is closed, and ends those that were triggered and haven't traded.
 * The caller has the lock of the user's row.
 */
export async function cancelOrders({ bus }: Pick<WaitingDeps, 'bus'>, tx: Tx, userId: bigint): Promise<void> {
  const ids = await deleteWaiting(tx, accountsOf(userId))
  // After those that wait: an engine may have triggered one of them meanwhile.
  await refuseTriggered(tx, accountsOf(userId), 'This account is closed.')
  tx.afterCommit(() => {
    for (const id of ids) bus.publish('waiting-changed', { cancelled: String(id) })
  })
}

/** Returns a trader's accounts: orders are found in either. */
export const accountsOf = (userId: bigint) => [accountOf(userId, 'real'), accountOf(userId, 'demo')]

/** One change of a trader's orders at a time, so that their places can be counted. */
async function lockUser(tx: Tx, userId: bigint): Promise<void> {
  if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
}

const announce = ({ bus }: Pick<WaitingDeps, 'bus'>, tx: Tx) =>
  tx.afterCommit(() => bus.publish('waiting-changed', { cancelled: null }))

async function waiting(tx: Tx, userId: bigint, id: bigint, done: string): Promise<WaitingRow> {
  const row = await lockOrder(tx, accountsOf(userId), id)
  if (!row) throw new Problem('not_found', 'Order not found.')
  if (row.status !== 'Waiting')
    throw new Problem('wrong_state', `This order has been triggered or has ended. It can't be ${done}.`)
  return row
}

/** Reads what a trader set, against the current price and time. */
function termsOf(deps: WaitingDeps, body: Body): StoredTerms {
  const { instrument, base } = currentPrice(deps, body.symbol)
  if (instrument.tradingType === null) throw fieldProblem('symbol', 'is not traded here')
  requireListed(deps.priceLists, body.strike_rate)
  const { condition } = body
  const terms = {
    symbol_id: instrument.id,
    side: body.trade_mode,
    strike_rate: body.strike_rate,
    stake: body.amount,
    duration_seconds: body.duration,
    condition,
    ...baseOf(base),
  }
  const now = deps.clock.now()
  if (body.at !== undefined) {
    const at = timeOf('at', body.at, now, 0)
    return { ...terms, level: null, at_ms: BigInt(at), valid_until_ms: BigInt(at + WAITING_WITHIN_MS) }
  }
  const level = levelOf(body.level ?? '', instrument.scale)
  requireAhead(condition, level, base)
  const until = body.valid_until === undefined ? null : timeOf('valid_until', body.valid_until, now, VALID_AT_LEAST_MS)
  return { ...terms, level, at_ms: null, valid_until_ms: until === null ? null : BigInt(until) }
}

const baseOf = ({ price, seq, sourceMs }: Tick) => ({
  base_price: price,
  base_seq: BigInt(seq),
  base_ms: BigInt(Math.floor(sourceMs)),
})

/** Throws where the price is there already: the order would be triggered at once. */
function requireAhead(condition: WaitingRow['condition'], level: bigint, { price, scale }: Tick): void {
  const now = priceText(price, scale)
  if (condition === 'at_or_above' && level <= price)
    throw fieldProblem('level', `must be above the current price, ${now}`)
  if (condition === 'at_or_below' && level >= price)
    throw fieldProblem('level', `must be below the current price, ${now}`)
}

function timeOf(field: 'at' | 'valid_until', text: string, now: Ms, least: Ms): Ms {
  const time = Date.parse(text)
  if (time <= now + least)
    throw fieldProblem(field, least === 0 ? 'must be in the future' : 'must be at least a minute from now')
  if (time > now + WAITING_AHEAD_MS) throw fieldProblem(field, 'must be within a year')
  return time
}
