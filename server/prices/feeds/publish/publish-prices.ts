import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { deepSourcesOf, isPrice, type PriceIndex, spreadOf, toScale } from '../../../venues/index.ts'
import type { createDeepSources } from '../../instruments/deep-sources.ts'
import type { Instruments } from '../../instruments/instruments.ts'
import type { QuoteSink } from '../feed.ts'
import { marketReopens } from '../hours.ts'

/** As many sources as limit the stakes of a symbol. */
const FEW = 2
/**
 * Bids just below the best asks move the price by 0.45 of the spread. From a fifth of the typical move on, that pays
 * (docs/decisions/0019-single-ticks-and-depth.md).
 */
const SPREAD_PER_MOVE = 0.5

/** How far prices move in the shortest duration of a trade, on average. */
export interface TypicalMoves {
  of(slot: number): number | undefined
}

interface PublisherDeps {
  index: PriceIndex
  instruments: Instruments
  deepSources: ReturnType<typeof createDeepSources>
  moves: TypicalMoves
}

/** Returns the function that publishes the index's new prices, and notes how many deep sources each has. */
export function pricePublisher(deps: PublisherDeps): (now: Ms, sink: QuoteSink) => void {
  const { index, instruments, deepSources } = deps
  const published = new Map<string, Ms>()
  return (now, sink) => {
    for (const slot of instruments.inFrameOrder()) {
      const instrument = must(instruments.list[slot])
      const { symbol, scale } = instrument
      const found = index.priceOf(symbol)
      const count = deepSourcesOf(index, symbol) ?? 0
      deepSources.see(symbol, isEasyToMove(deps, slot, found) ? Math.min(count, FEW) : count, now)
      if (!isPrice(found) || found.sourceMs <= (published.get(symbol) ?? 0)) continue
      if (marketReopens(instrument, now) !== undefined) continue
      published.set(symbol, found.sourceMs)
      sink.state(slot, Number(toScale(found.price, scale)), found.sourceMs)
    }
  }
}

/** Whether orders within the venues' spreads move a price too far for what it typically moves. */
function isEasyToMove(
  { index, instruments, moves }: PublisherDeps,
  slot: number,
  found: ReturnType<PriceIndex['priceOf']>,
): boolean {
  const { symbol, scale } = must(instruments.list[slot])
  const typical = moves.of(slot)
  const spreadBps = spreadOf(index, symbol)
  if (typical === undefined || spreadBps === undefined || !isPrice(found)) return false
  return (Number(toScale(found.price, scale)) * spreadBps) / 10_000 > typical * SPREAD_PER_MOVE
}
