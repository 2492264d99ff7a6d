import { createHash } from 'node:crypto'
import { AUTOMATIC_KEYS } from '#contract/endpoint.ts'
import { Problem } from '#contract/problem.ts'
import { strikeRateFor } from '#contract/terms.ts'
import type { SkipReason } from '#contract/trading/automatic.ts'
import { modeOf, userOf } from '../../ledger/index.ts'
import { inTransaction, sql, sqlState } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { openInGroups } from '../../trading/index.ts'
import type { AutomaticDeps } from '../deps.ts'
import { IDLE_MS, type ReservedRow } from './reserve.sql.ts'

/** An automatic trade whose stake is reserved. */
export type Reservation = Pick<
  ReservedRow,
  'account_id' | 'signal' | 'symbol_id' | 'side' | 'duration_seconds' | 'strike_rate' | 'stake'
>

/**
 * Returns the function that submits reservations, a few at a time. `changed`: called with those that were traded or
 * skipped.
 */
export function reservationSubmitter(
  deps: AutomaticDeps,
  changed: (rows: readonly Reservation[]) => void,
): (rows: readonly Reservation[]) => Promise<void> {
  return openInGroups<Reservation, SkipReason>({
    nameOf: ({ account_id, signal }) => `${account_id} ${signal}`,
    open: (row) => open(deps, row),
    refuse: (refused) => skip(deps, refused),
    changed,
  })
}

/** Opens the trade of a reservation. Returns why it was skipped; undefined if it was traded or will be tried again. */
async function open(deps: AutomaticDeps, row: Reservation): Promise<SkipReason | undefined> {
  const instrument = deps.instruments.byId(row.symbol_id)
  if (!instrument?.tradingType) return 'closed'
  const mode = modeOf(row.account_id)
  const key = `${AUTOMATIC_KEYS}${row.signal}:${mode}`
  const wanted = { symbol: instrument.symbol, tradingType: instrument.tradingType, duration: row.duration_seconds }
  const { pairs } = deps.priceLists.offer(wanted, deps.clock.now())
  try {
    await deps.trading.open({
      userId: userOf(row.account_id),
      body: {
        symbol: instrument.symbol,
        trading_type: instrument.tradingType,
        trade_mode: row.side,
        duration: row.duration_seconds,
        strike_rate: strikeRateFor(row.strike_rate, row.side, pairs),
        mode,
      },
      stake: row.stake,
      key,
      fingerprint: createHash('sha256').update(`${key} ${row.stake}`).digest(),
      signal: row.signal,
    })
    return undefined
  } catch (error) {
    return reasonOf(error, deps.log)
  }
}

function reasonOf(error: unknown, log: Log): SkipReason | undefined {
  if (error instanceof Problem) {
    switch (error.code) {
      case 'insufficient_balance':
        return 'balance'
      case 'account_locked':
        return 'locked'
      case 'price_unavailable':
        return 'closed'
      case 'odds_unavailable':
        return 'odds'
      case 'order_expired':
        return 'stale'
      case 'limit_reached':
      case 'reality_check_due':
        return 'limit'
      case 'unavailable':
        // Tried again while the signal is fresh.
        return undefined
    }
  }
  // The reservation was cancelled meanwhile, or is too old: its trigger rejected the trade.
  if (sqlState(error) === '23514') return 'stale'
  log.error({ error: String(error) }, 'an automatic trade failed')
  return undefined
}

/** Cancels reservations. Followers without money, or with a locked account, pause for a while. */
async function skip(deps: AutomaticDeps, skipped: readonly { row: Reservation; reason: SkipReason }[]): Promise<void> {
  const idle = skipped.filter(({ reason }) => reason === 'balance' || reason === 'locked')
  await inTransaction(deps.db, async (tx) => {
    await sql`
      update automatic_orders o set status = 'Skipped', reason = s.reason, slot = null
      from unnest(
        ${skipped.map(({ row }) => row.signal)}::bigint[], ${skipped.map(({ row }) => row.account_id)}::bigint[],
        ${skipped.map(({ reason }) => reason)}::skip_reason[]
      ) as s(signal, account_id, reason)
      where o.signal = s.signal and o.account_id = s.account_id and o.status = 'Reserved'`.execute(tx)
    await sql`
      update automations a set idle_until = m.until, idle_reason = s.reason
      from unnest(${idle.map(({ row }) => row.account_id)}::bigint[], ${idle.map(({ reason }) => reason)}::skip_reason[])
        as s(account_id, reason), (values (${Math.floor(deps.clock.now()) + IDLE_MS}::bigint)) as m(until)
      -- A worker that comes late doesn't end a pause.
      where a.account_id = s.account_id and a.idle_until < m.until`.execute(tx)
  })
}
