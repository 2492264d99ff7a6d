import { must } from '#kernel/must.ts'
import type { Fire, PriceWatch, TimeWatch } from '../alerts/index.ts'
import { blockedUsers } from '../identity/index.ts'
import { userOf } from '../ledger/index.ts'
import { type Db, inTransaction, sql } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import type { WaitingRow } from './store.ts'

/** An order that waits, as an engine judges it. */
export type WaitingWatch = (PriceWatch | TimeWatch) & { accountId: bigint }

/** Returns an order as an engine judges it; undefined if this node doesn't know its symbol. */
export function toWatch(instruments: Instruments, row: WaitingRow): WaitingWatch | undefined {
  const instrument = instruments.byId(row.symbol_id)
  if (!instrument) return undefined
  const armed = {
    id: row.id,
    userId: userOf(row.account_id),
    accountId: row.account_id,
    symbol: instrument.symbol,
    arming: row.arming,
    base: Number(row.base_price),
    baseSeq: Number(row.base_seq),
    baseMs: Number(row.base_ms),
    ...(row.valid_until_ms !== null && { untilMs: Number(row.valid_until_ms) }),
  }
  if (row.condition === 'at_time') return { ...armed, kind: 'time', atMs: Number(row.at_ms) }
  return { ...armed, kind: 'price', level: Number(row.level), rises: row.condition === 'at_or_above' }
}

interface Due {
  account_id: bigint
  id: bigint
  place: bigint
}

/**
 * Writes which tick triggers each order, once, whichever engine comes first: those that were triggered already, were moved
 * meanwhile, or are gone, are left out. Orders of closed and locked accounts end here, and say why. Returns the ids of those
 * whose trades are to be placed.
 */
export function writeTriggers(db: Db, fires: readonly Fire<WaitingWatch>[]): Promise<bigint[]> {
  const watches = fires.map(({ alert }) => alert)
  return inTransaction(db, async (tx) => {
    // In the order of their keys: two engines that write the same never wait for each other in a circle.
    const { rows: due } = await sql<Due>`
      select o.account_id, o.id, f.place from waiting_orders o
      join unnest(${watches.map(({ accountId }) => accountId)}::bigint[], ${watches.map(({ id }) => id)}::bigint[],
        ${watches.map(({ arming }) => arming)}::int[]) with ordinality f(account_id, id, arming, place)
        on f.account_id = o.account_id and f.id = o.id and f.arming = o.arming
      where o.status = 'Waiting' order by o.account_id, o.id for no key update of o`.execute(tx)
    if (due.length === 0) return []
    const blocked = await blockedUsers(tx, [...new Set(due.map(({ account_id }) => userOf(account_id)))])
    const ticks = due.map(({ place }) => must(fires[Number(place) - 1]).tick)
    const { rows } = await sql<{ id: bigint; status: string }>`
      update waiting_orders o set trigger_price = f.price, trigger_seq = f.seq, trigger_ms = f.ms, reason = f.reason,
        status = case when f.reason is null then 'Triggered' else 'Refused' end::waiting_status,
        slot = case when f.reason is null then o.slot end, ended_at = case when f.reason is not null then clock_timestamp() end
      from unnest(${due.map(({ account_id }) => account_id)}::bigint[], ${due.map(({ id }) => id)}::bigint[],
        ${ticks.map(({ units }) => units)}::bigint[], ${ticks.map(({ seq }) => seq)}::bigint[],
        ${ticks.map(({ sourceMs }) => sourceMs)}::bigint[], ${due.map(({ account_id }) => blocked.get(userOf(account_id)) ?? null)}::text[])
        as f(account_id, id, price, seq, ms, reason)
      where o.account_id = f.account_id and o.id = f.id returning o.id, o.status`.execute(tx)
    return rows.flatMap(({ id, status }) => (status === 'Triggered' ? [id] : []))
  })
}
