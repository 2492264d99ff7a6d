import type { Selectable } from 'kysely'
import { ALERT_INTERVALS } from '#contract/terms.ts'
import type { Alert, AlertIndicator, AlertInterval } from '#contract/trading/alerts.ts'
import { must } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import type { Instruments } from '../prices/index.ts'
import type { ArmedAlert } from './conditions/terms.ts'
import type { ReadArmed } from './engine.ts'

export type AlertRow = Selectable<DB['alerts']>
/** What the trader set, and the tick when it was armed. */
export type StoredTerms = Pick<
  AlertRow,
  | 'kind'
  | 'symbol_id'
  | 'direction'
  | 'level'
  | 'rises'
  | 'basis_points'
  | 'minutes'
  | 'indicator'
  | 'inputs'
  | 'output'
  | 'interval_ms'
  | 'threshold'
  | 'base_price'
  | 'base_seq'
  | 'base_ms'
>

/** Returns the account's alerts, the one that was armed last first. */
export const alertsOf = (db: Db, userId: bigint): Promise<AlertRow[]> =>
  db.selectFrom('alerts').selectAll().where('user_id', '=', userId).orderBy('armed_at', 'desc').execute()

/** One change of an account's alerts at a time, so that its places can be counted. */
export const lockAlerts = (tx: Tx, userId: bigint) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`alerts ${userId}`}, 0))`.execute(tx)

export const findAlert = (tx: Tx, userId: bigint, id: bigint): Promise<AlertRow | undefined> =>
  tx
    .selectFrom('alerts')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Returns an armed alert of the account with the same terms, whatever the price was then. */
export async function sameAlert(tx: Tx, userId: bigint, terms: StoredTerms): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`
    select * from alerts where user_id = ${userId} and fired_at is null and symbol_id = ${terms.symbol_id}
      and (kind, direction, level, rises, basis_points, minutes, indicator, inputs, output, interval_ms, threshold)
        is not distinct from (${terms.kind}::alert_kind, ${terms.direction}::alert_direction, ${terms.level}::bigint,
          ${terms.rises}::boolean, ${terms.basis_points}::int, ${terms.minutes}::smallint, ${terms.indicator}::text,
          ${terms.inputs}::double precision[], ${terms.output}::text, ${terms.interval_ms}::int,
          ${terms.threshold}::double precision)
    limit 1`.execute(tx)
  return rows[0]
}

/** Writes an alert in the account's first free place; undefined if all `places` are taken. */
export async function insertAlert(
  tx: Tx,
  userId: bigint,
  terms: StoredTerms,
  places: number,
): Promise<AlertRow | undefined> {
  const { rows } = await sql<{ place: number }>`
    select s as place from generate_series(1, ${places}::int) s
    where not exists (select from alerts a where a.user_id = ${userId} and a.slot = s) order by s limit 1`.execute(tx)
  const place = rows[0]?.place
  if (place === undefined) return undefined
  return tx
    .insertInto('alerts')
    .values({ user_id: userId, slot: place, ...terms })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Arms an alert by these terms. */
export const armAlert = (tx: Tx, { user_id, id }: AlertRow, terms: StoredTerms): Promise<AlertRow> =>
  tx
    .updateTable('alerts')
    .set({
      ...terms,
      arming: sql<number>`arming + 1`,
      armed_at: sql<Date>`clock_timestamp()`,
      changed: sql`pg_current_xact_id()`,
      fired_at: null,
      fired_price: null,
      fired_seq: null,
      fired_ms: null,
      fired_value: null,
      notice_id: null,
      unchecked_from: null,
      unchecked_until: null,
    })
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Returns whether the account had it. */
export async function deleteAlert(db: Db, userId: bigint, id: bigint): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('alerts')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns the numbers of the alerts that the account had. */
export async function deleteAlerts(tx: Tx, userId: bigint): Promise<bigint[]> {
  const rows = await tx.deleteFrom('alerts').where('user_id', '=', userId).returning('id').execute()
  return rows.map(({ id }) => id)
}

export function indicatorOfRow(row: StoredTerms): AlertIndicator | undefined {
  if (row.indicator === null) return undefined
  const interval = Object.keys(ALERT_INTERVALS).find(
    (key) => ALERT_INTERVALS[key as AlertInterval] === row.interval_ms,
  ) as AlertInterval
  return {
    id: row.indicator,
    inputs: must(row.inputs),
    output: must(row.output),
    interval,
    level: must(row.threshold),
  }
}

/** Returns an alert as its owner sees it. */
export function toAlert(instruments: Instruments, row: AlertRow): Alert {
  const { symbol, scale } = must(instruments.byId(row.symbol_id))
  const text = (units: bigint) => formatPrice(price(units), scale)
  const indicator = indicatorOfRow(row)
  return {
    id: String(row.id),
    kind: row.kind,
    symbol,
    direction: row.direction,
    ...(row.level !== null && { level: text(row.level) }),
    ...(row.rises !== null && { rises: row.rises }),
    ...(row.basis_points !== null && { percent: row.basis_points / 100 }),
    ...(row.minutes !== null && { minutes: row.minutes }),
    ...(indicator && { indicator }),
    base: text(row.base_price),
    armed_at: row.armed_at.toISOString(),
    ...(row.fired_at !== null && {
      fired: {
        price: text(must(row.fired_price)),
        at: toIso(Number(row.fired_ms)),
        ...(row.fired_value !== null && { value: row.fired_value }),
      },
    }),
    ...(row.unchecked_from !== null && {
      unchecked: { from: toIso(Number(row.unchecked_from)), until: toIso(Number(row.unchecked_until)) },
    }),
  }
}

/** Returns an alert as the engine judges it; undefined if this node doesn't know its symbol. */
export function toArmed(instruments: Instruments, row: AlertRow): ArmedAlert | undefined {
  const instrument = instruments.byId(row.symbol_id)
  if (!instrument) return undefined
  const armed = {
    id: row.id,
    userId: row.user_id,
    symbol: instrument.symbol,
    arming: row.arming,
    base: Number(row.base_price),
    baseSeq: Number(row.base_seq),
    baseMs: Number(row.base_ms),
  }
  if (row.kind === 'price') return { ...armed, kind: 'price', level: Number(row.level), rises: must(row.rises) }
  if (row.kind === 'move')
    return {
      ...armed,
      kind: 'move',
      direction: row.direction,
      basisPoints: must(row.basis_points),
      minutes: must(row.minutes),
    }
  return { ...armed, kind: 'indicator', direction: row.direction, indicator: must(indicatorOfRow(row)) }
}

/** Returns the alerts that were armed since a snapshot: none is skipped, however long its transaction takes. */
export async function changedAlerts(db: Db, xmin: string): Promise<ReadArmed<AlertRow>> {
  const { rows } = await sql<AlertRow & { xmin: string; id: bigint | null }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, a.*
    from (select) one left join alerts a on a.fired_at is null and a.changed >= ${xmin}::xid8`.execute(db)
  return { rows: rows.filter(({ id }) => id !== null), xmin: must(rows[0]).xmin }
}

const PAGE = 5_000

/** Returns all armed alerts. */
export async function armedAlerts(db: Db): Promise<ReadArmed<AlertRow>> {
  const begun = await sql<{ xmin: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(db)
  const rows: AlertRow[] = []
  for (let [user, after] = [0n, 0n]; ; ) {
    const page = await sql<AlertRow>`
      select * from alerts where fired_at is null and (user_id, id) > (${user}::bigint, ${after}::bigint)
      order by user_id, id limit ${PAGE}`.execute(db)
    for (const row of page.rows) rows.push(row)
    const last = page.rows.at(-1)
    if (!last || page.rows.length < PAGE) return { rows, xmin: must(begun.rows[0]).xmin }
    ;[user, after] = [last.user_id, last.id]
  }
}

/** Marks that prices of a symbol before `until` can't be judged any more for the alerts that were armed by then. */
export async function markUnchecked(db: Db, symbolId: number, from: Ms, until: Ms): Promise<void> {
  await sql`
    update alerts set unchecked_from = greatest(${from}::bigint, base_ms), unchecked_until = ${until}
    where symbol_id = ${symbolId} and fired_at is null and base_ms < ${until}`.execute(db)
}

export async function judgedUntil(db: Db): Promise<Ms> {
  const { judged_ms } = await db.selectFrom('alert_head').select('judged_ms').executeTakeFirstOrThrow()
  return Number(judged_ms)
}

export async function recordJudged(db: Db, until: Ms): Promise<void> {
  await sql`update alert_head set judged_ms = ${Math.floor(until)} where judged_ms < ${Math.floor(until)}`.execute(db)
}
