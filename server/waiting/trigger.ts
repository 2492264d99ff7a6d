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
  /** It is locked here, and by nobody else. */
  mine: boolean
}

interface Triggered {
  /** The orders whose trades are to be placed. */
  ids: bigint[]
  /** Those that another transaction has locked: waiting for one would hold back all others. */
  busy: Fire<WaitingWatch>[]
}

/**
 * Writes which tick triggers each order, once, whichever engine comes first: those that were triggered already, were moved
 * meanwhile, or are gone, are left out. Orders of closed and locked accounts end here, and say why.
 */
export function writeTriggers(db: Db, fires: readonly Fire<WaitingWatch>[]): Promise<Triggered> {
  const watches = fires.map(({ alert }) => alert)
  return inTransaction(db, async (tx) => {
    // In the order of their keys: two engines that write the same never wait for each other in a circle.
    const { rows: found } = await sql<Due>`
      with named as materialized (
        select * from unnest(${watches.map(({ accountId }) => accountId)}::bigint[], ${watches.map(({ id }) => id)}::bigint[],
          ${watches.map(({ arming }) => arming)}::int[]) with ordinality n(account_id, id, arming, place)
      ), mine as materialized (
        select o.account_id, o.id from waiting_orders o join named n using (account_id, id, arming)
        where o.status = 'Waiting' order by o.account_id, o.id for no key update of o skip locked
      )
      select o.account_id, o.id, n.place, m.id is not null as mine from waiting_orders o join named n using (account_id, id, arming)
      left join mine m using (account_id, id) where o.status = 'Waiting' order by o.account_id, o.id`.execute(tx)
    const fireOf = ({ place }: Due) => must(fires[Number(place) - 1])
    const due = found.filter(({ mine }) => mine)
    const busy = found.filter(({ mine }) => !mine).map(fireOf)
    if (due.length === 0) return { ids: [], busy }
    const blocked = await blockedUsers(tx, [...new Set(due.map(({ account_id }) => userOf(account_id)))])
    const ticks = due.map((one) => fireOf(one).tick)
    const { rows } = await sql<{ id: bigint; status: string }>`
      update waiting_orders o set trigger_price = f.price, trigger_seq = f.seq, trigger_ms = f.ms, reason = f.reason,
        status = case when f.reason is null then 'Triggered' else 'Refused' end::waiting_status,
        slot = case when f.reason is null then o.slot end, ended_at = case when f.reason is not null then clock_timestamp() end
      from unnest(${due.map(({ account_id }) => account_id)}::bigint[], ${due.map(({ id }) => id)}::bigint[],
        ${ticks.map(({ units }) => units)}::bigint[], ${ticks.map(({ seq }) => seq)}::bigint[],
        ${ticks.map(({ sourceMs }) => sourceMs)}::bigint[], ${due.map(({ account_id }) => blocked.get(userOf(account_id)) ?? null)}::text[])
        as f(account_id, id, price, seq, ms, reason)
      where o.account_id = f.account_id and o.id = f.id returning o.id, o.status`.execute(tx)
    return { ids: rows.flatMap(({ id, status }) => (status === 'Triggered' ? [id] : [])), busy }
  })
}
