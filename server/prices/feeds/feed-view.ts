import type { PriceSource } from '#contract/prices/prices.ts'
import { Problem } from '#contract/problem.ts'
import { type Ms, SECOND_MS } from '#kernel/time.ts'
import type { Bus } from '../../platform/bus/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { cachedFor } from '../../platform/process/cached-for.ts'
import type { SymbolReport, Wanted } from '../../venues/index.ts'
import { ENOUGH_SOURCES } from '../instruments/deep-sources.ts'
import type { Instrument, Instruments } from '../instruments/instruments.ts'
import type { PricePreview } from '../instruments/preview.ts'
import type { Refusal } from '../tape/gate.ts'
import type { Feed, VenueNow } from './feed.ts'

/** Facts about the source of prices, published by the node that writes the tape. They change rarely. Plain JSON. */
interface FeedFacts {
  kind: PriceSource
  /** What people should know about the source. */
  note?: string | undefined
  /** By symbol: why it has no price from this source, or when its market reopens. Symbols with neither are left out. */
  closed: Record<string, { missing?: string; reopensMs?: Ms }>
  /** By symbol: how many sources make its live price at its depth, if they are fewer than enough. */
  fewSources?: Record<string, number>
}

/** How prices are being made. It changes all the time. Plain JSON. */
export interface FeedReports {
  /** How many sources agreed on a symbol's newest price. */
  sources: Record<string, number>
  /** How a symbol's price was last made. */
  symbols: Record<string, SymbolReport>
  venues: VenueReports[]
  /** Number of quotes that the gate has rejected, by reason. */
  refused: Partial<Record<Refusal, number>>
}

export interface VenueReports extends VenueNow {
  /** How many symbols would lose their price without it. */
  symbolsLost: number
}

const NO_REPORTS: FeedReports = { sources: {}, symbols: {}, venues: [], refused: {} }

/** The source of prices as any node sees it: the facts at once, the rest on request. */
export interface FeedView {
  readonly kind: PriceSource
  /** Returns why the symbol has no price from this source, as text for the trader. */
  missing(instrument: Instrument): string | undefined
  /** Returns when the symbol's market reopens; undefined while it is open. */
  reopens(instrument: Instrument, now: Ms): Ms | undefined
  note(): string | undefined
  /**
   * Returns how many sources make a symbol's live price at its depth, up to as many as are enough; undefined for other
   * prices.
   */
  deepSources(symbol: string): number | undefined
  reports(): Promise<FeedReports>
  preview(wanted: PreviewWanted): Promise<PricePreview>
  /** Returns how many symbols would lose their price without these venues. */
  symbolsLostWithout(venues: readonly string[]): Promise<number>
  /** Returns the symbols whose price is made from this venue's markets, or would be if it weren't out. */
  symbolsOfVenue(venue: string): Promise<string[]>
}

export type PreviewWanted = Omit<Wanted, 'symbol'> & { scale: number }

export interface FeedTopics {
  'feed-changed': null
}

/** Questions that only the node with the feed can answer. */
export interface FeedQuestions {
  'price-preview': { question: PreviewWanted; answer: PricePreview }
  'symbols-lost': { question: { venues: readonly string[] }; answer: { count: number } }
  'symbols-of-venue': { question: { venue: string }; answer: { symbols: string[] } }
}

const NO_PREVIEW: PricePreview = { why: 'The current source of prices has none for new instruments.', pairs: [] }
const PREVIEW_MS = 8 * SECOND_MS
const COUNT_MS = 3 * SECOND_MS
const REPORTS_FOR_MS = SECOND_MS

/** This node's own feed, as a view. */
export function ownView(deps: {
  feed: Feed
  instruments: Instruments
  now(): Ms
  refused(): ReadonlyMap<Refusal, number>
}): FeedView {
  const { feed, instruments, now } = deps
  return {
    get kind() {
      return feed.kind
    },
    missing: (instrument) => feed.missing(instrument),
    reopens: (instrument, at) => feed.reopens?.(instrument, at),
    note: () => feed.note?.(),
    deepSources: (symbol) => (feed.kind === 'live' ? feed.deepSources?.(symbol) : undefined),
    async reports() {
      const symbols: FeedReports['symbols'] = {}
      const sources: FeedReports['sources'] = {}
      for (const instrument of instruments.current()) {
        const report = feed.report?.(instrument, now())
        if (report) symbols[instrument.symbol] = report
        const count = feed.sources?.(instrument.symbol)
        if (count !== undefined) sources[instrument.symbol] = count
      }
      const venues = (feed.venues?.(now()) ?? []).map((venue) => ({
        ...venue,
        symbolsLost: feed.symbolsLostWithout?.([venue.venue]) ?? 0,
      }))
      return { sources, symbols, venues, refused: Object.fromEntries(deps.refused()) }
    },
    preview: async (wanted) =>
      (await feed.preview?.({ ...wanted, symbol: wanted.base + wanted.quote }, now())) ?? NO_PREVIEW,
    symbolsLostWithout: async (venues) => feed.symbolsLostWithout?.(venues) ?? 0,
    symbolsOfVenue: async (venue) => feed.symbolsOfVenue?.(venue) ?? [],
  }
}

/** Returns the facts of a view, for other nodes. */
export function factsOf(view: FeedView, instruments: Instruments, now: Ms): FeedFacts {
  const closed: FeedFacts['closed'] = {}
  for (const instrument of instruments.current()) {
    const missing = view.missing(instrument)
    const reopensMs = view.reopens(instrument, now)
    if (missing === undefined && reopensMs === undefined) continue
    closed[instrument.symbol] = {
      ...(missing === undefined ? {} : { missing }),
      ...(reopensMs === undefined ? {} : { reopensMs }),
    }
  }
  const fewSources: Record<string, number> = {}
  for (const { symbol } of instruments.current()) {
    const count = view.deepSources(symbol)
    if (count !== undefined && count < ENOUGH_SOURCES) fewSources[symbol] = count
  }
  return { kind: view.kind, note: view.note(), closed, fewSources }
}

export async function writeFeedState(db: Db, part: 'facts' | 'reports', content: string): Promise<void> {
  await sql`insert into feed_state (part, content) values (${part}, ${content}::jsonb)
    on conflict (part) do update set content = excluded.content, at = clock_timestamp()`.execute(db)
}

async function readFeedState<T>(db: Db, part: 'facts' | 'reports'): Promise<T | undefined> {
  const { rows } = await sql<{ content: T }>`select content from feed_state where part = ${part}`.execute(db)
  return rows[0]?.content
}

/** The feed of the node that writes the tape, as the others see it. `refresh` reads its facts; `isKnown` once there are any. */
export function remoteView(deps: {
  db: Db
  bus: Pick<Bus<FeedTopics, FeedQuestions>, 'ask'>
  /** The kind of source that is assumed until the facts are known. */
  kind(): PriceSource
}): FeedView & { refresh(): Promise<void>; isKnown(): boolean } {
  const { db, bus } = deps
  let facts: FeedFacts | undefined
  const reports = cachedFor(REPORTS_FOR_MS, async () => (await readFeedState<FeedReports>(db, 'reports')) ?? NO_REPORTS)
  const first = <T>(answers: readonly T[]): T => {
    const [answer] = answers
    if (answer === undefined)
      throw new Problem('unavailable', 'The engine that makes the prices does not answer. Try again in a moment.')
    return answer
  }
  return {
    get kind() {
      return facts?.kind ?? deps.kind()
    },
    missing: ({ symbol }) => facts?.closed[symbol]?.missing,
    reopens({ symbol }, now) {
      const reopensMs = facts?.closed[symbol]?.reopensMs
      return reopensMs !== undefined && reopensMs > now ? reopensMs : undefined
    },
    note: () => facts?.note,
    deepSources: (symbol) =>
      facts?.fewSources && facts.kind === 'live' ? (facts.fewSources[symbol] ?? ENOUGH_SOURCES) : undefined,
    reports,
    preview: async (wanted) =>
      first(await bus.ask('price-preview', wanted, { patienceMs: PREVIEW_MS, isEnough: () => true })),
    symbolsLostWithout: async (venues) =>
      first(await bus.ask('symbols-lost', { venues }, { patienceMs: COUNT_MS, isEnough: () => true })).count,
    symbolsOfVenue: async (venue) =>
      first(await bus.ask('symbols-of-venue', { venue }, { patienceMs: COUNT_MS, isEnough: () => true })).symbols,
    isKnown: () => facts !== undefined,
    async refresh() {
      facts = (await readFeedState<FeedFacts>(db, 'facts')) ?? facts
    },
  }
}
