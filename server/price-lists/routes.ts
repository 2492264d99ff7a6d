import { Problem } from '#contract/problem.ts'
import type { PriceListVersion } from '#contract/trading/offers.ts'
import type { priceListCalls } from '#contract/trading/price-lists.ts'
import type { Db } from '../platform/database/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { PriceLists } from './follow-price-lists.ts'
import { versionHistory, versionNumbered } from './price-lists.ts'

const HISTORY = 50

/** The public price lists. */
export const priceListRoutes = ({
  db,
  clock,
  priceLists,
}: {
  db: Db
  clock: Pick<Clock, 'now'>
  priceLists: PriceLists
}): Handlers<keyof typeof priceListCalls> => ({
  'GET /public/price-lists': async ({ query }) => {
    const wanted = query.version === undefined ? undefined : await versionNumbered(db, Number(query.version))
    if (query.version !== undefined && !wanted) throw new Problem('not_found', 'There is no such version.')
    const history = await versionHistory(db, HISTORY)
    return {
      status: true,
      data: {
        versions: (wanted ? [wanted] : withNext(priceLists.versions(), clock.now())).map(
          ({ version, fromMs, document }) => ({
            version,
            from: isoOf(fromMs),
            document,
          }),
        ),
        history: history.map(({ version, fromMs }) => ({ version, from: isoOf(fromMs) })),
      },
    }
  },
})

/** The version that applies, and those that will. */
const withNext = (versions: readonly PriceListVersion[], now: number) =>
  versions.slice(
    Math.max(
      0,
      versions.findLastIndex(({ fromMs }) => fromMs <= now),
    ),
  )

const isoOf = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString())
