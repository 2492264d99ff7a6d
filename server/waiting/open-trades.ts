import { createHash } from 'node:crypto'
import { WAITING_KEYS } from '#contract/endpoint.ts'
import { Problem } from '#contract/problem.ts'
import { WAITING_WITHIN_MS } from '#contract/trading/waiting.ts'
import { modeOf, userOf } from '../ledger/index.ts'
import { sql, sqlState } from '../platform/database/db.ts'
import { openInGroups } from '../trading/index.ts'
import type { WaitingDeps } from './deps.ts'
import type { WaitingRow } from './store.ts'

/** Orders whose trades are placed, and that end, in one go. */
const BATCH = 1_000
const TOO_LATE = "It couldn't be placed within a minute of its price."

/** An engine places the trades of what it has triggered; after this time, ms, others do. */
const ADOPT_MS = 1_500

/**
 * Returns a function that places the trades of the orders that this engine has just triggered, and of those that no engine
 * has placed for a while. Any number of engines may do so: each order makes one. It returns how many it tried.
 */
export function tradeOpener(deps: WaitingDeps): (triggered: readonly bigint[]) => Promise<number> {
  const open = openInGroups<WaitingRow, string>({
    nameOf: ({ id }) => String(id),
    open: (row) => openTrade(deps, row),
    refuse: (refused) => refuse(deps, refused),
    changed: () => undefined,
  })
  return async (triggered) => {
    const { rows } = await sql<WaitingRow>`
      select * from waiting_orders
      where status = 'Triggered' and (id = any (${triggered}::bigint[]) or trigger_ms < ${Math.floor(deps.clock.now()) - ADOPT_MS}::bigint)
      order by trigger_ms, id limit ${BATCH}`.execute(deps.db)
    await open(rows)
    return rows.length
  }
}

/** Opens the trade of an order. Returns why there is none; undefined if there is one, or it will be tried again. */
async function openTrade(deps: WaitingDeps, row: WaitingRow): Promise<string | undefined> {
  const instrument = deps.instruments.byId(row.symbol_id)
  if (!instrument?.tradingType) return 'This symbol is not traded any more.'
  if (deps.clock.now() > Number(row.trigger_ms) + WAITING_WITHIN_MS) return TOO_LATE
  // The tape may have stopped for a moment: it is the engine that has just started.
  if (deps.tape.status(instrument.symbol).status === 'stale') return undefined
  const key = `${WAITING_KEYS}${row.id}`
  try {
    await deps.trading.open({
      userId: userOf(row.account_id),
      body: {
        symbol: instrument.symbol,
        trading_type: instrument.tradingType,
        trade_mode: row.side,
        duration: row.duration_seconds,
        strike_rate: row.strike_rate,
        mode: modeOf(row.account_id),
      },
      stake: row.stake,
      key,
      fingerprint: createHash('sha256').update(`${key} ${row.stake}`).digest(),
    })
    return undefined
  } catch (error) {
    if (error instanceof Problem) {
      return error.code === 'unavailable' || error.code === 'order_expired' ? undefined : error.message
    }
    // Its trigger refused the trade: the order has ended, or is too old by the database's clock.
    if (sqlState(error) !== '23514') deps.log.error({ error: String(error) }, 'the trade of a waiting order failed')
    return undefined
  }
}

/** Ends orders without a trade. One that has traded meanwhile stays; one that is locked is tried again. */
async function refuse({ db }: WaitingDeps, refused: readonly { row: WaitingRow; reason: string }[]): Promise<void> {
  await sql`
    with refused as materialized (
      select o.account_id, o.id, r.reason from waiting_orders o
      join unnest(${refused.map(({ row }) => row.account_id)}::bigint[], ${refused.map(({ row }) => row.id)}::bigint[],
        ${refused.map(({ reason }) => reason)}::text[]) as r(account_id, id, reason) using (account_id, id)
      where o.status = 'Triggered' order by o.account_id, o.id for no key update of o skip locked
    )
    update waiting_orders o set status = 'Refused', reason = r.reason, slot = null, ended_at = clock_timestamp()
    from refused r where o.account_id = r.account_id and o.id = r.id`.execute(db)
}

/** Ends the orders whose time is over by the time up to which all were judged; one that is locked is tried again. */
export async function expireOrders({ db }: Pick<WaitingDeps, 'db'>, judged: number): Promise<void> {
  await sql`
    with over as materialized (
      select account_id, id from waiting_orders
      where status = 'Waiting' and valid_until_ms < ${Math.floor(judged)}::bigint
      order by valid_until_ms limit ${BATCH} for no key update skip locked
    )
    update waiting_orders o set status = 'Expired', slot = null, ended_at = clock_timestamp()
    from over e where o.account_id = e.account_id and o.id = e.id`.execute(db)
}
