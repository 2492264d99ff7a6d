import { must } from '#kernel/must.ts'
import { type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Feed, QuoteSink } from './feed.ts'

/** A live feed that reports its condition. */
export interface LiveCandidate extends Feed {
  /** Reads what the venues list. Never rejects; returns how many answered. */
  readLists(): Promise<number>
  /** Number of venues that answered when last asked. */
  answering(): number
  /** Number of symbols that the venues have. */
  symbols(): number
}

/** With fewer venues no price can be compared with another. */
const VENUES_NEEDED = 2
/** How long the first price may wait for the venues to answer. */
const PATIENCE_MS = 3 * SECOND_MS
/** The same if the tape was live before: simulated prices would make every open trade void. */
const PATIENCE_AFTER_LIVE_MS = 60 * SECOND_MS
/** The switch to live happens once this share of the symbols that the venues have shows prices. */
const COVERAGE = 0.5

/** How old a price may be to count. */
const FRESH_MS = 10 * SECOND_MS

/** The counterpart of a real sink while the live feed only warms up: counts which symbols have prices. */
function counting(): { sink: QuoteSink; fresh(now: Ms): number } {
  const seenMs = new Map<number, Ms>()
  const seen = (slot: number, sourceMs: Ms) => void seenMs.set(slot, sourceMs)
  return {
    sink: {
      quote: () => undefined,
      tick: (slot, _units, sourceMs) => seen(slot, sourceMs),
      state: (slot, _units, sourceMs) => seen(slot, sourceMs),
      alive: seen,
    },
    fresh: (now) =>
      seenMs
        .values()
        .filter((ms) => now - ms <= FRESH_MS)
        .toArray().length,
  }
}

/**
 * Live prices where at least two venues answer, simulated ones otherwise. Decides within three seconds of the first
 * poll. If it has to simulate, it keeps asking the venues and changes to live when it can; it never changes back: if
 * live prices stop, symbols are stale until they return.
 */
export function autoFeed(deps: {
  simulation: Feed
  live: LiveCandidate
  /** Whether the newest prices on the tape are live. */
  wasLive(): boolean
  /** Called once when the kind is decided, and again if it changes. */
  decided?(kind: 'live' | 'simulation'): void
}): Feed {
  const { simulation, live } = deps
  let active: Feed | undefined
  let pollsBegan: Ms | undefined
  let listsRead = false
  const warm = counting()

  function use(feed: Feed): Feed {
    active = feed
    deps.decided?.(feed === live ? 'live' : 'simulation')
    return feed
  }

  function decide(now: Ms): Feed | undefined {
    if (pollsBegan === undefined) {
      pollsBegan = now
      void live.readLists().then(() => {
        listsRead = true
      })
    }
    if (live.answering() >= VENUES_NEEDED) return use(live)
    const patience = deps.wasLive() ? PATIENCE_AFTER_LIVE_MS : PATIENCE_MS
    if ((listsRead && !deps.wasLive()) || now - pollsBegan >= patience) return use(simulation)
    return undefined
  }

  /** Lets the live feed connect and fill while prices are simulated; returns whether it is ready to take over. */
  function warmedUp(now: Ms): boolean {
    if (live.answering() < VENUES_NEEDED) return false
    live.collect(now, warm.sink)
    return warm.fresh(now) >= Math.max(1, live.symbols() * COVERAGE)
  }

  const shown = () => active ?? (deps.wasLive() ? live : simulation)
  return {
    get kind() {
      return shown().kind
    },
    missing: (instrument) => shown().missing(instrument),
    measureMovesBy: (typicalMove) => live.measureMovesBy?.(typicalMove),
    deepSources: (symbol) => shown().deepSources?.(symbol),
    collect(now, sink) {
      let feed = active ?? decide(now)
      if (feed === simulation && warmedUp(now)) feed = use(live)
      feed?.collect(now, sink)
    },
    note() {
      if (active === live) return undefined
      if (!active) return 'Asking the exchanges for live prices.'
      return `No live prices: ${live.answering() === 0 ? 'no exchange answers' : 'only one exchange answers'}, so prices are simulated. They become live as soon as two answer; trades that are open then are void and their stakes are returned.`
    },
    instrumentsChanged: () => live.instrumentsChanged?.(),
    preview: (...asked) => must(shown().preview)(...asked),
    sources: (symbol) => (shown() === live ? live.sources?.(symbol) : undefined),
    report: (...asked) => (shown() === live ? live.report?.(...asked) : undefined),
    venueName: (venue) => live.venueName?.(venue),
    venues: (now) => live.venues?.(now) ?? [],
    setVenuesOut: (out) => live.setVenuesOut?.(out),
    symbolsLostWithout: (venues) => live.symbolsLostWithout?.(venues) ?? 0,
    symbolsOfVenue: (venue) => live.symbolsOfVenue?.(venue) ?? [],
    reopens: (...asked) => shown().reopens?.(...asked),
    history: async (...asked) => live.history?.(...asked),
    async stop() {
      await Promise.all([simulation.stop(), live.stop()])
    },
  }
}
