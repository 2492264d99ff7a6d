import { HOUR_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Log } from '../../platform/process/log.ts'
import {
  conditionOf,
  createPriceIndex,
  createVenueHour,
  deepSourcesOf,
  isPrice,
  type Listing,
  type Market,
  type PriceIndex,
  planListing,
  previewPrice,
  reportSymbol,
  reportVenues,
  sourcesOf,
  spreadOf,
  symbolsLostWithout,
  symbolsOfVenue,
  toScale,
  type Venue,
  type VenueCondition,
} from '../../venues/index.ts'
import { venueHistory } from '../candles/venue-history.ts'
import { createDeepSources } from '../instruments/deep-sources.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { previewOf } from '../instruments/preview.ts'
import type { LiveCandidate } from './auto-feed.ts'
import { marketReopens } from './hours.ts'

const READ_LISTS_EVERY_MS = HOUR_MS
/** A venue whose list couldn't be read is asked again after this time. */
const RETRY_LISTS_MS = 15 * SECOND_MS
/** As many sources as limit the stakes of a symbol. */
const FEW = 2
/**
 * Bids just below the best asks move the price by 0.45 of the spread. From a fifth of the typical move on, that pays
 * (docs/decisions/0019-single-ticks-and-depth.md).
 */
const SPREAD_PER_MOVE = 0.5

export interface LiveFeed extends LiveCandidate {
  index: PriceIndex
}

/** Publishes the median of trading venues' prices. Connects to them once it is polled: only the leader does. */
export function liveFeed(deps: {
  instruments: Instruments
  venues: readonly Venue[]
  log: Log
  /** Whether there are other prices if the venues can't be reached. */
  optional?: boolean
}): LiveFeed {
  const { venues, log } = deps
  const index = createPriceIndex(venues.map(({ id }) => id))
  const lists = new Map<string, readonly Market[]>()
  const watched = new Map<string, string>()
  const unreachable = new Set<string>()
  const published = new Map<string, Ms>()
  const conditions = new Map<string, VenueCondition>()
  const hour = createVenueHour()
  const deepSources = createDeepSources()
  let typicalMove: (slot: number) => number | undefined = () => undefined
  const nameOf = (id: string) => venues.find((venue) => venue.id === id)?.name ?? id
  let answering = 0
  let polled = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function readLists(): Promise<number> {
    clearTimeout(timer)
    const read = await Promise.all(venues.map(readList))
    const answered = read.filter(Boolean).length
    answering = answered
    if (stopped) return answered
    // A venue that doesn't answer keeps the list it had.
    plan()
    timer = setTimeout(() => void readLists(), answered === venues.length ? READ_LISTS_EVERY_MS : RETRY_LISTS_MS)
    timer.unref()
    return answered
  }

  async function readList(venue: Venue): Promise<boolean> {
    try {
      lists.set(venue.id, await venue.markets())
      if (unreachable.delete(venue.id)) log.info({ venue: venue.id }, 'a venue answers again')
      return true
    } catch (error) {
      const level = deps.optional && !lists.has(venue.id) ? 'info' : 'warn'
      if (!unreachable.has(venue.id)) log[level]({ venue: venue.id, error: String(error) }, 'a venue does not answer')
      unreachable.add(venue.id)
      return false
    }
  }

  const withSources = () => deps.instruments.current().filter(({ notLiveReason }) => notLiveReason === null)
  const listsRead = () =>
    venues.filter(({ id }) => lists.has(id)).map(({ id, name }) => ({ id, name, markets: lists.get(id)! }))

  function plan(): void {
    const listing = planListing(withSources(), listsRead())
    index.use(listing)
    if (polled) watch(listing)
  }

  function watch(listing: Listing): void {
    for (const venue of venues) {
      const markets = listing.watch.get(venue.id) ?? []
      const wanted = markets.join()
      if ((watched.get(venue.id) ?? '') === wanted) continue
      watched.set(venue.id, wanted)
      venue.watch(markets, index.listener)
    }
  }

  /** Logs each venue that gets better or worse. */
  function logConditions(now: Ms): void {
    for (const { id } of venues) {
      const condition = conditionOf(index, id, now)
      const before = conditions.get(id)
      if (condition === before) continue
      conditions.set(id, condition)
      if (condition === 'good') log.info({ venue: id, before }, 'a venue is good')
      else if (before === 'good') log.warn({ venue: id, condition }, 'a venue is not used')
    }
  }

  /** Whether orders within the venues' spreads move a price too far for what it typically moves. */
  function isEasyToMove(slot: number, found: ReturnType<typeof index.priceOf>): boolean {
    const { symbol, scale } = deps.instruments.list[slot]!
    const typical = typicalMove(slot)
    const spreadBps = spreadOf(index, symbol)
    if (typical === undefined || spreadBps === undefined || !isPrice(found)) return false
    return (Number(toScale(found.price, scale)) * spreadBps) / 10_000 > typical * SPREAD_PER_MOVE
  }

  return {
    kind: 'live',
    index,
    readLists,
    answering: () => answering,
    symbols: () => [...index.listing().recipes.values()].filter(({ is }) => is !== 'missing').length,
    sources: (symbol) => sourcesOf(index, symbol),
    deepSources: deepSources.of,
    measureMovesBy(of) {
      typicalMove = of
    },
    report: ({ symbol, scale }, now) => reportSymbol(index, symbol, scale, now),
    venueName: nameOf,
    venues: (now) =>
      reportVenues(index, now).map((report) => ({
        ...report,
        name: nameOf(report.venue),
        hour: hour.of(report.venue),
      })),
    setVenuesOut(out) {
      for (const { id } of venues) index.setOut(id, out.includes(id))
    },
    symbolsLostWithout: (without) => symbolsLostWithout(index, without),
    symbolsOfVenue: (venue) => symbolsOfVenue(index, venue),
    instrumentsChanged: plan,
    async preview(wanted, now) {
      if (lists.size === 0) return { why: 'No exchange has answered yet.', pairs: [] }
      const others = withSources()
      return previewOf(await previewPrice(wanted, { others, venues, lists: listsRead(), index, now }), wanted.scale)
    },
    history: (...asked) => venueHistory(venues, index.listing(), ...asked),
    missing(instrument) {
      if (instrument.notLiveReason !== null) return instrument.notLiveReason
      const recipe = index.listing().recipes.get(instrument.symbol)
      return recipe?.is === 'missing' ? recipe.why : undefined
    },
    reopens: marketReopens,
    collect(now, sink) {
      if (!polled) {
        polled = true
        watch(index.listing())
      }
      index.evaluate(now)
      logConditions(now)
      hour.sample(now, () => reportVenues(index, now))
      for (const slot of deps.instruments.inFrameOrder()) {
        const instrument = deps.instruments.list[slot]!
        const { symbol, scale } = instrument
        const found = index.priceOf(symbol)
        const count = deepSourcesOf(index, symbol) ?? 0
        deepSources.see(symbol, isEasyToMove(slot, found) ? Math.min(count, FEW) : count, now)
        if (!isPrice(found) || found.sourceMs <= (published.get(symbol) ?? 0)) continue
        if (this.reopens!(instrument, now) !== undefined) continue
        published.set(symbol, found.sourceMs)
        sink.state(slot, Number(toScale(found.price, scale)), found.sourceMs)
      }
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await Promise.all(venues.map((venue) => venue.stop()))
    },
  }
}
