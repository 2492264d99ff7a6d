import { must } from '#kernel/must.ts'
import { type FinePrice, isWithin, middle, sortPrices } from './fine-price.ts'

export type Agreement<Source> = {
  /** In ascending order of their prices. */
  kept: Source[]
  outliers: Source[]
} & (
  | {
      /** The median of the kept sources. */
      price: FinePrice
      why?: undefined
    }
  | {
      price: undefined
      /** Too few venues have a price, or agree on it. */
      why: 'sources' | 'disagree'
    }
)

/**
 * Returns the median of the sources that agree. A source is dropped if it is too far away from the median of the others
 * (if their number is even: from both of the middle two). The rest must be enough, and a strict majority: two
 * venues 5% apart make no price, because nobody knows which of them is right.
 *
 * As long as liars are a minority, each kept liar is within the deviation of honest prices, and the median within them.
 */
export function agree<Source extends { price: FinePrice }>(
  sources: readonly Source[],
  terms: { minSources: number; largestDeviationBps: number },
): Agreement<Source> {
  const sorted = sortPrices([...sources], (source) => source.price)
  const count = sorted.length
  if (count < terms.minSources || count === 0) return { kept: sorted, outliers: [], price: undefined, why: 'sources' }
  const kept: Source[] = []
  const outliers: Source[] = []
  for (const [at, source] of sorted.entries()) {
    const others = medianOfOthers(sorted, at)
    const isClose = others.some((other) => isWithin(source.price, other, terms.largestDeviationBps))
    ;(isClose ? kept : outliers).push(source)
  }
  if (kept.length < terms.minSources || kept.length * 2 <= count) {
    return { kept, outliers, price: undefined, why: 'disagree' }
  }
  return { kept, outliers, price: median(kept) }
}

const priceAt = (sorted: readonly { price: FinePrice }[], at: number): FinePrice => must(sorted[at]).price

/** The middle of ascending sources; between the middle two if their number is even. */
function median(sorted: readonly { price: FinePrice }[]): FinePrice {
  const upper = priceAt(sorted, sorted.length >> 1)
  return sorted.length % 2 === 1 ? upper : middle(priceAt(sorted, (sorted.length >> 1) - 1), upper)
}

/** Returns the middle price, or the middle two, of all but one of the ascending sources; its own if it is the only one. */
function medianOfOthers(sorted: readonly { price: FinePrice }[], leftOut: number): FinePrice[] {
  const count = sorted.length - 1
  if (count === 0) return [priceAt(sorted, 0)]
  const other = (at: number) => priceAt(sorted, at < leftOut ? at : at + 1)
  return [other((count - 1) >> 1), other(count >> 1)]
}
