import { type OutcomeSpread, tallyOf } from '#contract/prices/measured.ts'
import { type PriceSource, SOURCES } from '#contract/prices/prices.ts'
import type { StrategyKey } from '#contract/terms.ts'
import { CHAIN_ROWS, type RetiredVersion, type SignalPeriod, type signalsCalls } from '#contract/trading/signals.ts'
import { must } from '#kernel/must.ts'
import { SECOND_MS, toIso } from '#kernel/time.ts'
import type { Db } from '../platform/database/db.ts'
import { csvFile, csvText } from '../platform/http/csv.ts'
import type { Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/http/page.ts'
import { atMost } from '../platform/process/at-most.ts'
import { cachedFor } from '../platform/process/cached-for.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Instruments, Tape } from '../prices/index.ts'
import type { Strategy } from '../strategies/index.ts'
import { publishedIn } from './published.ts'
import { readStatistics, type Statistics, statisticsKey, versionOf } from './statistics.ts'
import { CHAIN_COLUMNS, chainFields, toSignal } from './view.ts'

interface SignalsRoutesDeps {
  clock: Pick<Clock, 'now'>
  tape: Tape
  instruments: Instruments
  strategies: readonly Strategy[]
}

const STATISTICS_FOR_MS = 30 * SECOND_MS
/** Concurrent reads of lists and of the chain; anyone may request them. */
const READS = 2

/** The public routes of `contract/trading/signals.ts`. */
export function signalsRoutes(deps: SignalsRoutesDeps): Handlers<keyof typeof signalsCalls> {
  const { instruments } = deps
  const limited = atMost(READS, { waiting: 40, patienceMs: 3 * SECOND_MS })
  const statistics = statisticsReader(deps)

  return {
    'GET /public/signals/statistics': async ({ query, reads }) => ({
      status: true,
      data: await statistics(reads, query.period, query.duration === undefined ? undefined : Number(query.duration)),
    }),

    'GET /public/signals': async ({ query, reads }) => {
      const page = pageOf(query, (unchecked) => (/^[1-9]\d{0,14}$/.test(unchecked) ? BigInt(unchecked) : undefined))
      // An unknown symbol has no signals.
      const symbolId = query.symbol === undefined ? undefined : (instruments.bySymbol(query.symbol)?.id ?? -1)
      const rows = await limited(() =>
        reads
          .selectFrom('signals')
          .selectAll()
          .where('seal', 'is', null)
          .$if(query.strategy !== undefined, (select) => select.where('strategy', '=', must(query.strategy)))
          .$if(symbolId !== undefined, (select) => select.where('symbol_id', '=', must(symbolId)))
          .$if(query.duration !== undefined, (select) => select.where('duration_seconds', '=', Number(query.duration)))
          .$if(page.after !== undefined, (select) => select.where('n', '<', must(page.after)))
          .orderBy('n', 'desc')
          .limit(page.limit + 1)
          .execute(),
      )
      return listReply(
        rows.map((row) => ({ ...row, id: row.n })),
        page,
        (row) => toSignal(instruments, row),
        String,
      )
    },

    'GET /public/signals/chain': async ({ query, reads }) => {
      const from = BigInt(query.from ?? 1)
      const rows = await limited(() =>
        reads.selectFrom('signals').selectAll().where('n', '>=', from).orderBy('n').limit(CHAIN_ROWS).execute(),
      )
      const cells = rows.map((row) => [...chainFields(instruments, row), { utc: Number(row.at) }])
      return csvFile(`signals-${from}`, csvText(CHAIN_COLUMNS, [cells]))
    },
  }
}

/** Returns the function that reads statistics: once for everyone who asks for the same; there are few different ones. */
function statisticsReader({ clock, strategies, tape, instruments }: SignalsRoutesDeps) {
  const kept = new Map<string, (from: Db) => ReturnType<typeof shown>>()

  const shown = async (db: Db, kind: number, { from, bucketMs, buckets, spreads }: Statistics) => ({
    source: must(SOURCES[kind]) as PriceSource,
    from: toIso(from),
    to: toIso(clock.now()),
    bucket_ms: bucketMs,
    strategies: strategies.map(({ id, version, name, rule, parameters, needs }) => ({
      id,
      version,
      name,
      rule,
      parameters: { ...parameters },
      needs,
      buckets: buckets.get(statisticsKey(id, version)) ?? [],
      spread: spreadIn(spreads, id, version),
    })),
    retired: retiredIn({ buckets, spreads }),
    published: await publishedIn({ db, instruments }, { buckets, spreads }),
  })

  /** A new version is a new strategy for the statistics; the figures of older ones stay. */
  const retiredIn = ({ buckets, spreads }: Pick<Statistics, 'buckets' | 'spreads'>): RetiredVersion[] =>
    strategies.flatMap(({ id, version: current, name }) =>
      [...buckets]
        .map(([key, list]) => ({ ...versionOf(key), list }))
        .filter((one) => one.id === id && one.version !== current)
        .sort((a, b) => b.version - a.version)
        .map(({ version, list }) => ({ id, version, name, buckets: list, spread: spreadIn(spreads, id, version) })),
    )

  return (from: Db, period: SignalPeriod, durationSeconds: number | undefined) => {
    const key = `${period} ${durationSeconds}`
    let read = kept.get(key)
    if (!read) {
      read = cachedFor(STATISTICS_FOR_MS, async (db: Db) => {
        const sourceKind = tape.kindNow()
        return shown(
          db,
          sourceKind,
          await readStatistics(db, { period, durationSeconds, sourceKind, now: clock.now() }),
        )
      })
      kept.set(key, read)
    }
    return read(from)
  }
}

const spreadIn = (spreads: Statistics['spreads'], id: StrategyKey, version: number): OutcomeSpread =>
  spreads.get(statisticsKey(id, version)) ?? tallyOf([]).spread
