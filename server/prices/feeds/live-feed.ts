import type { Ms } from '#kernel/time.ts'
import type { Log } from '../../platform/process/log.ts'
import {
  conditionOf,
  createPriceIndex,
  createVenueHour,
  type Listing,
  type PriceIndex,
  planListing,
  previewPrice,
  reportSymbol,
  reportVenues,
  sourcesOf,
  symbolsLostWithout,
  symbolsOfVenue,
  type Venue,
  type VenueCondition,
} from '../../venues/index.ts'
import { venueHistory } from '../candles/venue-history.ts'
import { createDeepSources } from '../instruments/deep-sources.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { previewOf } from '../instruments/preview.ts'
import type { LiveCandidate } from './auto-feed.ts'
import { marketReopens } from './hours.ts'
import { pricePublisher, type TypicalMoves } from './publish/publish-prices.ts'
import { createVenueLists } from './publish/venue-lists.ts'

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
  const lists = createVenueLists(venues, log, deps.optional ?? false, () => plan())
  const watch = venueWatcher(venues, index)
  const logConditions = conditionLogger(venues, index, log)
  const hour = createVenueHour()
  const deepSources = createDeepSources()
  const moves: TypicalMoves = { of: () => undefined }
  const publish = pricePublisher({ index, instruments: deps.instruments, deepSources, moves })
  const nameOf = (id: string) => venues.find((venue) => venue.id === id)?.name ?? id
  let polled = false

  const withSources = () => deps.instruments.current().filter(({ notLiveReason }) => notLiveReason === null)

  function plan(): void {
    const listing = planListing(withSources(), lists.known())
    index.use(listing)
    if (polled) watch(listing)
  }

  return {
    kind: 'live',
    index,
    readLists: lists.read,
    answering: lists.answering,
    symbols: () => [...index.listing().recipes.values()].filter(({ is }) => is !== 'missing').length,
    sources: (symbol) => sourcesOf(index, symbol),
    deepSources: deepSources.of,
    measureMovesBy(of) {
      moves.of = of
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
      if (lists.isEmpty()) return { why: 'No exchange has answered yet.', pairs: [] }
      const others = withSources()
      return previewOf(await previewPrice(wanted, { others, venues, lists: lists.known(), index, now }), wanted.scale)
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
      publish(now, sink)
    },
    async stop() {
      lists.stop()
      await Promise.all(venues.map((venue) => venue.stop()))
    },
  }
}

/** Returns the function that subscribes to the markets of a listing. */
function venueWatcher(venues: readonly Venue[], index: PriceIndex): (listing: Listing) => void {
  const watched = new Map<string, string>()
  return (listing) => {
    for (const venue of venues) {
      const markets = listing.watch.get(venue.id) ?? []
      const wanted = markets.join()
      if ((watched.get(venue.id) ?? '') === wanted) continue
      watched.set(venue.id, wanted)
      venue.watch(markets, index.listener)
    }
  }
}

/** Returns the function that logs each venue that gets better or worse. */
function conditionLogger(venues: readonly Venue[], index: PriceIndex, log: Log): (now: Ms) => void {
  const conditions = new Map<string, VenueCondition>()
  return (now) => {
    for (const { id } of venues) {
      const condition = conditionOf(index, id, now)
      const before = conditions.get(id)
      if (condition === before) continue
      conditions.set(id, condition)
      if (condition === 'good') log.info({ venue: id, before }, 'a venue is good')
      else if (before === 'good') log.warn({ venue: id, condition }, 'a venue is not used')
    }
  }
}
