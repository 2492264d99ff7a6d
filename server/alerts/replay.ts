import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, sql } from '../platform/database/db.ts'
import { type KindChange, readKinds, readTicks, type StoredTick, TicksDropped } from '../prices/index.ts'
import type { AlertRow } from './store.ts'

interface AlertVerdict {
  checked: number
  /** Their prices are no longer kept. */
  dropped: number
  broken: string | undefined
}

const PAGE = 500

/**
 * Checks that what fired each alert is on the tape, and of prices and moves that it's the first that could: within the
 * minute of the tick and since the alert was armed. Returns the first that differs.
 */
export async function verifyAlerts(db: Db): Promise<AlertVerdict> {
  const verdict: AlertVerdict = { checked: 0, dropped: 0, broken: undefined }
  const kinds = await readKinds(db)
  for (let [user, after] = [0n, 0n]; ; ) {
    const { rows } = await sql<AlertRow>`
      select * from alerts where fired_at is not null and (user_id, id) > (${user}::bigint, ${after}::bigint)
      order by user_id, id limit ${PAGE}`.execute(db)
    for (const row of rows) {
      try {
        const says = await difference(db, row, kinds.get(row.symbol_id) ?? [])
        verdict.checked++
        if (says !== undefined) return { ...verdict, broken: `alert ${row.id} of user ${row.user_id} ${says}` }
      } catch (error) {
        if (!(error instanceof TicksDropped)) throw error
        verdict.dropped++
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return verdict
    ;[user, after] = [last.user_id, last.id]
  }
}

async function difference(db: Db, row: AlertRow, kinds: readonly KindChange[]): Promise<string | undefined> {
  const fired = { price: row.fired_price, seq: Number(row.fired_seq), sourceMs: Number(row.fired_ms) }
  const isPrice = row.kind === 'price'
  const says = await tickProblem(db, row, fired, isPrice ? (tick) => isReached(row, tick) : undefined)
  if (says !== undefined || row.kind !== 'move') return says
  const counted = await readTicks(db, row.symbol_id, startOf(fired.sourceMs, MINUTE_MS), fired.sourceMs)
  const later = counted.filter(({ seq }) => seq > Number(row.base_seq))
  return (await isFar(db, row, later, kinds)) ? undefined : 'fired by a move that was not far enough'
}

/**
 * Returns what is wrong with the tick that fired: it's not on the tape, or an earlier one since the base and in its minute
 * could have fired as well.
 */
export async function tickProblem(
  db: Db,
  base: Pick<AlertRow, 'symbol_id' | 'base_seq'> & Partial<Pick<AlertRow, 'unchecked_until'>>,
  fired: { price: bigint | null; seq: number; sourceMs: Ms },
  fires: ((tick: StoredTick) => boolean) | undefined,
): Promise<string | undefined> {
  const minute = startOf(fired.sourceMs, MINUTE_MS)
  const ticks = await readTicks(db, base.symbol_id, minute, fired.sourceMs)
  if (ticks.find(({ seq }) => seq === fired.seq)?.price !== fired.price)
    return 'fired by a price that is not on the tape'
  // Prices that nobody judged may have been enough.
  if (!fires || Number(base.unchecked_until ?? 0) > minute) return undefined
  const earlier = ticks.filter(({ seq }) => seq > Number(base.base_seq) && seq < fired.seq)
  return earlier.some(fires) ? 'could have fired earlier' : undefined
}

const isReached = ({ rises, level }: AlertRow, { price }: StoredTick): boolean =>
  level !== null && (rises ? price >= level : price <= level)

/** Returns since when a symbol's prices at a time came from the same kind of source. */
const sinceWhen = (kinds: readonly KindChange[], at: Ms): Ms =>
  kinds.reduce((since, { sourceMs }) => (sourceMs <= at ? Math.max(since, sourceMs) : since), 0)

/** Whether the newest of these ticks moved far enough, as `moves.ts` defines it. */
async function isFar(
  db: Db,
  row: AlertRow,
  counted: readonly StoredTick[],
  kinds: readonly KindChange[],
): Promise<boolean> {
  const since = sinceWhen(kinds, Number(row.fired_ms))
  const minute = startOf(Number(row.fired_ms), MINUTE_MS)
  const begin = minute - ((row.minutes ?? 1) - 1) * MINUTE_MS
  const armedIn = startOf(Number(row.base_ms), MINUTE_MS)
  const prices: number[] = armedIn >= begin && Number(row.base_ms) >= since ? [Number(row.base_price)] : []
  const add = (ticks: readonly StoredTick[]) => {
    for (const { price, sourceMs } of ticks) if (sourceMs >= since) prices.push(Number(price))
  }
  for (let from = Math.max(begin, armedIn + MINUTE_MS); from < minute; from += MINUTE_MS)
    add(await readTicks(db, row.symbol_id, from, from + MINUTE_MS - 1))
  if (minute > armedIn) add(counted)
  const now = Number(row.fired_price)
  const [low, high] = prices.reduce(
    ([least, most], price) => [Math.min(least, price), Math.max(most, price)],
    [now, now],
  )
  const needed = row.basis_points ?? 0
  const up = ((now - low) * 10_000) / low >= needed
  const down = ((high - now) * 10_000) / high >= needed
  return (row.direction !== 'down' && up) || (row.direction !== 'up' && down)
}
