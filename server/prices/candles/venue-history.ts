import { must } from '#kernel/must.ts'
import { parsePrice } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Listing, Venue, VenueMinute } from '../../venues/index.ts'
import type { VenueHistory } from '../feeds/feed.ts'
import type { Instrument } from '../instruments/instruments.ts'
import { UNITS_MAX } from '../tape/frames/frame.ts'
import type { Bar } from './candles.ts'

/** How many minutes are asked for at once; venues may return fewer. */
const AT_ONCE = 720
/** More requests than two days of minutes can need. */
const REQUESTS_MAX = 20

/**
 * Returns the minutes of [from, until) of the first venue that has an instrument's market and answers; undefined if none
 * does. A price that is derived from two others has no candles anywhere.
 */
export async function venueHistory(
  venues: readonly Venue[],
  listing: Listing,
  instrument: Instrument,
  from: Ms,
  until: Ms,
): Promise<VenueHistory | undefined> {
  const recipe = listing.recipes.get(instrument.symbol)
  if (recipe?.is !== 'direct') return undefined
  const members = listing.pairs.get(recipe.pair)?.members.filter(({ inverted }) => !inverted) ?? []
  for (const { venue: id, market } of members) {
    const venue = venues.find((one) => one.id === id)
    const minutes = venue && (await allMinutes(venue, market, instrument.scale, from, until).catch(() => undefined))
    if (minutes?.length) return { venue: must(venue).name, minutes }
  }
  return undefined
}

async function allMinutes(venue: Venue, market: string, scale: number, from: Ms, until: Ms): Promise<Bar[]> {
  const minutes: Bar[] = []
  let next = from
  for (let request = 0; request < REQUESTS_MAX && next < until; request++) {
    const answer = await venue.minutes(market, next, AT_ONCE)
    const before = next
    for (const unchecked of answer) {
      const bar = barOf(unchecked, scale)
      if (!bar || bar[0] < next || bar[0] >= until) continue
      minutes.push(bar)
      next = bar[0] + MINUTE_MS
    }
    // Some venues ignore the start, or answer nothing for minutes without trades.
    if (next === before) break
  }
  return minutes
}

/** Returns a venue's minute in units; undefined unless it is a plausible candle. */
function barOf([startMs, ...texts]: VenueMinute, scale: number): Bar | undefined {
  const [open, high, low, close] = texts.map((text) => Number(parsePrice(text, scale) ?? 0n))
  if (!open || !high || !low || !close || high > UNITS_MAX) return undefined
  const isCandle = low <= Math.min(open, close) && high >= Math.max(open, close)
  return isCandle && startMs === startOf(startMs, MINUTE_MS) ? [startMs, open, high, low, close] : undefined
}
