import { type OutcomeSpread, type Tally, tallyOf } from '#contract/prices/measured.ts'
import type { Sides, StrategyKey, TradeSide } from '#contract/terms.ts'
import type { SignalBucket, SignalPeriod } from '#contract/trading/signals.ts'
import { last, must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'

/** Maximum buckets of a period: a picture shows no more. */
const BUCKETS = 120

const PERIOD_MS: Record<Exclude<SignalPeriod, 'all'>, number> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS }

export interface Statistics {
  from: Ms
  bucketMs: number
  /** By strategy and version, `trend 1`. */
  buckets: Map<string, SignalBucket[]>
  spreads: Map<string, OutcomeSpread>
}

export const statisticsKey = (strategy: StrategyKey, version: number): string => `${strategy} ${version}`
/** Returns the strategy and version of a key. */
export function versionOf(key: string): { id: string; version: number } {
  const [id, version] = key.split(' ')
  return { id: must(id), version: Number(version) }
}

/** Counts the outcomes of a period that ends now, in whole hours, on one kind of source. */
export async function readStatistics(
  db: Db,
  about: { period: SignalPeriod; durationSeconds: number | undefined; sourceKind: number; now: Ms },
): Promise<Statistics> {
  const { period, durationSeconds, sourceKind, now } = about
  const first = period === 'all' ? await firstHour(db, now) : startOf(now - PERIOD_MS[period], HOUR_MS) + HOUR_MS
  const bucketMs = Math.ceil((now - first) / HOUR_MS / BUCKETS) * HOUR_MS || HOUR_MS
  const { rows } = await sql<{
    strategy: StrategyKey
    version: number
    bucket: bigint
    side: TradeSide
    won: bigint
    lost: bigint
    draws: bigint
    voids: bigint
  }>`
    select strategy, version, side, ${first} + (hour - ${first}) / ${bucketMs}::bigint * ${bucketMs}::bigint as bucket,
      sum(won) as won, sum(lost) as lost, sum(draws) as draws, sum(voids) as voids
    from signal_hours
    where hour >= ${first} and source_kind = ${sourceKind}
      and (${durationSeconds ?? null}::int is null or duration_seconds = ${durationSeconds ?? null}::int)
    group by 1, 2, 3, 4 order by 4`.execute(db)
  const buckets = new Map<string, SignalBucket[]>()
  for (const row of rows) {
    const key = statisticsKey(row.strategy, row.version)
    const list = buckets.get(key) ?? []
    if (list.length === 0) buckets.set(key, list)
    const at = Number(row.bucket)
    if (list.at(-1)?.[0] !== at) list.push([at, 0, 0, 0, 0, 0, 0])
    const bucket = last(list)
    const side = row.side === 'Buy' ? 1 : 3
    bucket[side] += Number(row.won)
    bucket[side + 1] = must(bucket[side + 1]) + Number(row.lost)
    bucket[5] += Number(row.draws)
    bucket[6] += Number(row.voids)
  }
  return { from: first, bucketMs, buckets, spreads: await readSpreads(db, { first, durationSeconds, sourceKind }) }
}

/**
 * Returns how a period's signals are spread over closes. Trades of several durations overlap beyond their closes, so all
 * durations together are spread over hours: each trade lies within the hour of its close.
 */
async function readSpreads(
  db: Db,
  { first, durationSeconds, sourceKind }: { first: Ms; durationSeconds: number | undefined; sourceKind: number },
): Promise<Map<string, OutcomeSpread>> {
  const query =
    durationSeconds === undefined
      ? sql<SpreadRow>`
        select strategy, version, count(*) as closes, sum(won * won) as ww, sum(won * lost) as wl, sum(lost * lost) as ll
        from (
          select strategy, version, sum(won) as won, sum(lost) as lost from signal_hours
          where hour >= ${first} and source_kind = ${sourceKind} group by strategy, version, hour
        ) by_hour where won + lost > 0 group by strategy, version`
      : sql<SpreadRow>`
        select strategy, version, sum(closes) as closes, sum(ww) as ww, sum(wl) as wl, sum(ll) as ll from signal_spreads
        where duration_seconds = ${durationSeconds} and source_kind = ${sourceKind} and sides = 'both' and hour >= ${first}
        group by strategy, version`
  const { rows } = await query.execute(db)
  return new Map(rows.map((row) => [statisticsKey(row.strategy, row.version), spreadOf(row)]))
}

interface SpreadSums {
  closes: bigint
  ww: bigint
  wl: bigint
  ll: bigint
}
type SpreadRow = SpreadSums & { strategy: StrategyKey; version: number }

const spreadOf = ({ closes, ww, wl, ll }: SpreadSums): OutcomeSpread => ({
  closes: Number(closes),
  ww: Number(ww),
  wl: Number(wl),
  ll: Number(ll),
})

async function firstHour(db: Db, now: Ms): Promise<Ms> {
  const { rows } = await sql<{ hour: bigint | null }>`select min(hour) as hour from signal_hours`.execute(db)
  return Number(rows[0]?.hour ?? startOf(now, HOUR_MS))
}

/** Returns the decided signals of a strategy's version and duration on one kind of source, by the sides that are followed. */
export async function outcomesOf(
  db: Db | Tx,
  about: { strategy: StrategyKey; version: number; durationSeconds: number; sourceKind: number },
): Promise<Record<Sides, Tally>> {
  const { rows } = await sql<SpreadSums & { sides: Sides; won: bigint; lost: bigint }>`
    select sides, sum(won) as won, sum(lost) as lost, sum(closes) as closes, sum(ww) as ww, sum(wl) as wl, sum(ll) as ll
    from signal_spreads
    where duration_seconds = ${about.durationSeconds} and source_kind = ${about.sourceKind}
      and strategy = ${about.strategy} and version = ${about.version}
    group by sides`.execute(db)
  const tallies = rows.map((row) => [
    row.sides,
    { won: Number(row.won), lost: Number(row.lost), spread: spreadOf(row) } satisfies Tally,
  ])
  return { both: tallyOf([]), Buy: tallyOf([]), Sell: tallyOf([]), ...Object.fromEntries(tallies) }
}
