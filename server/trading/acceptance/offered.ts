import type { Problem } from '#contract/problem.ts'
import type { Ms } from '#kernel/time.ts'
import type { PriceLists } from '../../price-lists/index.ts'
import type { Instruments } from '../../prices/index.ts'
import { oddsUnavailable } from '../refusals.ts'
import type { Order } from './order.ts'

/**
 * Compares an order's terms with those at the time of a statement. Returns `same`, the new offer if the pair is offered
 * then too, why it isn't, or `unknown` until this node has heard of the version.
 */
export type OfferedNow = (
  order: Order,
  now: { version: number; at: Ms },
) => 'same' | 'unknown' | Order['offer'] | Problem

/** The same, of an order whose offer is all that is known. */
export const asOffered = (
  { offer }: Pick<Order, 'offer'>,
  { version, at }: { version: number; at: Ms },
): 'same' | 'unknown' => (offer.version === version && offer.fromMs <= at && at < offer.untilMs ? 'same' : 'unknown')

export const offeredNow =
  (priceLists: PriceLists, instruments: Pick<Instruments, 'byId'>): OfferedNow =>
  (order, { version, at }) => {
    if (asOffered(order, { version, at }) === 'same') return 'same'
    if (priceLists.newest() < version) {
      priceLists.look()
      return 'unknown'
    }
    const instrument = instruments.byId(order.symbolId)
    if (!instrument?.tradingType) return 'unknown'
    const { symbol, tradingType } = instrument
    const { pairs, ...offer } = priceLists.offer({ symbol, tradingType, duration: order.durationSeconds }, at)
    return pairs.includes(order.strikeRate) ? offer : oddsUnavailable(order.strikeRate, pairs)
  }
