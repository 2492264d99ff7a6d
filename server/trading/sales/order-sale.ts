import { Problem } from '#contract/problem.ts'
import type { SaleOrdered } from '#contract/trading/trading.ts'
import { publicId } from '#kernel/id.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { isSaleTime, type SaleRule, saleRule } from '#kernel/sale-value.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { lockAccountById } from '../../identity/index.ts'
import { accountOf, keptAnswer, type RequestKey, type RequestKeys } from '../../ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { Clock } from '../../platform/process/clock.ts'
import { type Instruments, type Tape, tapeTime } from '../../prices/index.ts'
import { LATE_MS } from '../acceptance/accept.sql.ts'
import type { TradeRow } from '../store.ts'
import { tradeNotFound } from '../trade-not-found.ts'

/** Orders to sell one trade, in all: each is kept. One that waits for another may be one more. */
const ORDERS_MOST = 20

interface OrderSaleDeps {
  db: Db
  keys: RequestKeys
  instruments: Pick<Instruments, 'byId'>
  tape: Pick<Tape, 'status'>
  clock: Pick<Clock, 'now'>
  /** Notifies the nodes that decide the order, and the trader's screens, after the commit. */
  ordered(tx: Tx, tradeId: bigint, userId: bigint): void
}

interface OrderSale {
  userId: bigint
  tradeId: bigint
  minimum: Usd
  /** When the button was pressed, tape time. */
  pressedAt: Ms | undefined
  /** When the request arrived, by `performance.now()`. */
  arrivedAt: number
  key: RequestKey | undefined
}

/**
 * Accepts an order to sell a trade before its end. The first price after this decides it (`sell-trades.ts`); until then,
 * settlement leaves the trade alone. A repeat under the same key changes nothing and returns the first response.
 */
export async function orderSale(deps: OrderSaleDeps, order: OrderSale): Promise<SaleOrdered> {
  const { db, keys, clock } = deps
  const { userId, tradeId, key } = order
  const arrived = Math.floor(clock.now() - (performance.now() - order.arrivedAt))
  const pressedAt = Math.min(order.pressedAt ?? arrived, arrived)
  return inTransaction(db, async (tx) => {
    if (key) {
      if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
      if ((await keys.find(tx, userId, key)) !== undefined) {
        const kept = await keptAnswer<SaleOrdered>(tx, userId, key)
        if (kept) return kept
      }
    }
    const trade = await lockTrade(tx, userId, tradeId)
    const rule = refuseUnlessOpen(trade)
    refuseUnlessPriced(deps, trade)
    // Under the trade's lock: nothing settles it from here on.
    const at = Number(await tapeTime(tx))
    refuseUnlessInTime({ rule, trade, at, pressedAt })
    if (trade.orders >= ORDERS_MOST)
      throw new Problem(
        'limit_reached',
        `You've tried to sell this trade ${ORDERS_MOST} times. It now runs to its end.`,
      )
    await sql`
      with ordered as (update trades set sale_ordered_at = ${at} where id = ${tradeId})
      insert into sale_orders (account_id, trade_id, at, minimum)
      values (${trade.account_id}, ${tradeId}, ${at}, ${order.minimum})`.execute(tx)
    const answer = { trade_id: publicId(tradeId), minimum: usdToNumber(order.minimum), at: toIso(at) }
    if (key) await keys.store(tx, userId, key, 'sale', tradeId, answer)
    deps.ordered(tx, tradeId, userId)
    return answer
  })
}

interface LockedTrade extends TradeRow {
  /** How often it was to be sold, at most `ORDERS_MOST`. */
  orders: number
}

async function lockTrade(tx: Tx, userId: bigint, tradeId: bigint): Promise<LockedTrade> {
  const { rows } = await sql<LockedTrade>`
    select t.*, (
      select count(*)::int from (
        select from sale_orders o where o.account_id = t.account_id and o.trade_id = t.id limit ${ORDERS_MOST}
      ) o
    ) as orders
    from trades t where t.id = ${tradeId} and t.account_id in (${accountOf(userId, 'real')}, ${accountOf(userId, 'demo')})
    for no key update of t`.execute(tx)
  const [trade] = rows
  if (!trade) throw await tradeNotFound(tx, tradeId)
  return trade
}

function refuseUnlessOpen({ status, sale_rule, sale_ordered_at }: TradeRow): SaleRule {
  if (status !== 'Pending') throw new Problem('wrong_state', 'This trade has already ended.')
  const rule = saleRule(sale_rule)
  if (!rule) throw new Problem('wrong_state', "This trade was placed before trades could be sold, so it can't be.")
  if (sale_ordered_at !== null)
    throw new Problem('wrong_state', 'This trade is already being sold. The next price decides it.')
  return rule
}

function refuseUnlessPriced({ instruments, tape }: OrderSaleDeps, { symbol_id }: TradeRow): void {
  const symbol = instruments.byId(symbol_id)?.symbol
  const { status, reason } = symbol === undefined ? { status: 'unavailable', reason: undefined } : tape.status(symbol)
  if (status !== 'open')
    throw new Problem('price_unavailable', reason ?? `${symbol} has no fresh price right now. Your trade stays open.`)
}

function refuseUnlessInTime(of: { rule: SaleRule; trade: TradeRow; at: Ms; pressedAt: Ms }): void {
  const { rule, trade, at, pressedAt } = of
  if (at - pressedAt > LATE_MS)
    throw new Problem('order_expired', 'Your order to sell took more than 2 seconds to arrive. Your trade stays open.')
  const terms = { rule, tradeTime: Number(trade.trade_time), endTime: Number(trade.end_time) }
  if (!isSaleTime(terms, at))
    throw new Problem('wrong_state', "A trade can't be sold in its first and last 10 seconds. It stays open.")
}
