import { must } from '#kernel/must.ts'
import { SECOND_MS } from '#kernel/time.ts'
import type { Handlers } from '../platform/http/index.ts'
import { atMost } from '../platform/process/at-most.ts'
import { olderBars } from './candles/older-bars.ts'
import type { PricesDeps } from './deps.ts'
import { type PriceCompositionCalls, priceCompositionRoutes } from './instruments/price-composition.ts'
import { termsChangesSince } from './instruments/terms-changes.ts'
import { venueSwitchesSince } from './instruments/venue-switches.ts'
import type { Parts } from './parts.ts'
import { type PriceCalls, pricesRoutes } from './routes.ts'
import { searchTicks } from './tape/read-ticks.ts'
import { variancesAt } from './tape/variances.ts'

/** Maximum concurrent reads of data that is no longer in memory: they are costly, and anyone may request them. */
const OLD_READS = 2

/** How many switches of exchanges are listed at once. */
const SWITCHES_MAX = 100

/** Returns the calls about prices. */
export function routesOf(
  { clock, config, database }: Pick<PricesDeps, 'clock' | 'config' | 'database'>,
  { instruments, memory, tape, view, since, housekeeping }: Parts,
): Handlers<PriceCalls | PriceCompositionCalls> {
  const { db } = database
  const oldReads = atMost(OLD_READS, { waiting: 40, patienceMs: 3 * SECOND_MS })
  const routes = pricesRoutes({
    instruments,
    memory,
    tape,
    view,
    clock,
    realTradesOnTestPrices: config.realTradesOnTestPrices,
    older(from) {
      const older = olderBars(from, instruments, { since, history: housekeeping.historyOf })
      return {
        minutesBefore: (...asked) => oldReads(() => older.minutesBefore(...asked)),
        secondsBefore: (...asked) => oldReads(() => older.secondsBefore(...asked)),
      }
    },
    async readTicks(reads, slot, from, to, limit) {
      const { ticks } = await oldReads(() => searchTicks(reads, must(instruments.list[slot]).id, from, to, limit))
      return ticks.map(({ seq, sourceMs, price }) => [seq, sourceMs, Number(price)])
    },
    variances: (time) => oldReads(() => variancesAt(db, time)),
    historyOf: housekeeping.historyOf,
    unitsDayAgo: housekeeping.unitsDayAgo,
  })
  const composition = priceCompositionRoutes({
    instruments,
    memory,
    tape,
    view,
    clock,
    switches: (from, since, until, venues) =>
      oldReads(() => venueSwitchesSince(from, since, SWITCHES_MAX, { until, venues })),
    termsChanges: (from, since, until, symbol) =>
      oldReads(() => termsChangesSince(from, since, SWITCHES_MAX, { until, symbol })),
    search: (symbolId, from, to) => oldReads(() => searchTicks(db, symbolId, from, to, Number.MAX_SAFE_INTEGER)),
  })
  return { ...routes, ...composition }
}
