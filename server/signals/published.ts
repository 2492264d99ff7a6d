import { hitRate, type OutcomeSpread, tallyOf } from '#contract/prices/measured.ts'
import { LEADERBOARD_FROM, ownStrategyKey } from '#contract/terms.ts'
import type { PublishedStrategy } from '#contract/trading/signals.ts'
import { toIso } from '#kernel/time.ts'
import { publishedStrategies } from '../own-strategies/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import { type Statistics, statisticsKey } from './statistics.ts'

/**
 * Returns the strategies that traders have published, ordered by the lower end of their hit rate's interval: luck has a
 * wide one. Those with fewer decided signals come last.
 */
export async function publishedIn(
  { db, instruments }: { db: Db; instruments: Instruments },
  { buckets, spreads }: Pick<Statistics, 'buckets' | 'spreads'>,
): Promise<PublishedStrategy[]> {
  const shown = (await publishedStrategies(db, instruments)).map((one): PublishedStrategy => {
    const key = statisticsKey(ownStrategyKey(one.id), one.version)
    return {
      id: ownStrategyKey(one.id),
      version: one.version,
      name: one.name,
      rule: one.sentence,
      duration: one.duration,
      since: toIso(one.publishedAt),
      buckets: buckets.get(key) ?? [],
      spread: spreads.get(key) ?? tallyOf([]).spread,
    }
  })
  const places = new Map(shown.map((one) => [one, placeOf(one)]))
  return shown.sort((a, b) => (places.get(b) ?? 0) - (places.get(a) ?? 0)).slice(0, SHOWN)
}

/** Ranked first and cut then, so that nobody pushes the best out by publishing many. */
const SHOWN = 50

/** The lower end of the interval in percent; with too few decided signals, below all of those, by their number. */
function placeOf({ buckets, spread }: { buckets: PublishedStrategy['buckets']; spread: OutcomeSpread }): number {
  let [won, lost] = [0, 0]
  for (const [, buyWon, buyLost, sellWon, sellLost] of buckets) {
    won += buyWon + sellWon
    lost += buyLost + sellLost
  }
  const decided = won + lost
  return decided >= LEADERBOARD_FROM ? (hitRate({ won, lost, spread })?.low ?? 0) : decided - LEADERBOARD_FROM
}
