import { MESSAGE } from '#contract/fields.ts'
import { Problem } from '#contract/problem.ts'
import type { StrikeRate } from '#contract/terms.ts'
import { isListed } from '#contract/trading/offers.ts'
import type { PriceLists } from './follow-price-lists.ts'

/** Throws if no list has the pair. Whether it's offered is decided when a trade is placed. */
export function requireListed(priceLists: Pick<PriceLists, 'versions'>, pair: StrikeRate): void {
  if (priceLists.versions().some(({ document }) => isListed(document, pair))) return
  throw new Problem('odds_unavailable', `These odds (${pair}) aren't offered. Choose others.`, {
    errors: [{ field: 'strike_rate', message: MESSAGE.invalid }],
  })
}
