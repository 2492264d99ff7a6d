import { Readable } from 'node:stream'
import type { PriceComposition } from '#contract/prices/price-composition.ts'
import { SOURCES } from '#contract/prices/prices.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { formatPrice } from '#kernel/price.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, toIso } from '#kernel/time.ts'
import type { Db } from '../../platform/database/db.ts'
import { type Cell, csvFile, csvText } from '../../platform/http/csv.ts'
import type { Handlers } from '../../platform/http/index.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { MemberReport, SymbolReport } from '../../venues/index.ts'
import { answersOfOneFrame } from '../candles/answers.ts'
import { kindOf } from '../feeds/feed.ts'
import type { FeedView } from '../feeds/feed-view.ts'
import { instant } from '../routes.ts'
import type { Memory } from '../tape/memory/memory.ts'
import type { StoredTick } from '../tape/read-ticks.ts'
import type { Tape } from '../tape/tape.ts'
import type { Instrument, Instruments } from './instruments.ts'
import type { TermsChange } from './terms-changes.ts'
import type { VenueSwitch } from './venue-switches.ts'

export type PriceCompositionCalls = 'GET /prices/composition' | 'GET /prices/switches' | 'GET /prices/tape'

/** How much of a day is read at once. */
const PART_MS = 30 * MINUTE_MS
/** Downloads at the same time: a day of a symbol is up to 345,600 ticks. */
const DOWNLOADS = 2
/** A download that takes longer is cut off. */
const LONGEST_DOWNLOAD_MS = 120 * SECOND_MS
const TAPE_COLUMNS = ['sequence', 'source_time', 'price', 'source', 'frame', 'source_time (UTC)']

interface PriceCompositionDeps {
  instruments: Instruments
  memory: Memory
  tape: Tape
  view(): FeedView
  clock: Clock
  /** Reads stored ticks of [from, to], oldest first; `dropped`: some are no longer stored. */
  search(symbolId: number, from: Ms, to: Ms): Promise<{ ticks: StoredTick[]; dropped: boolean }>
  /** Reads the switches that count from a time in [from, to] on, newest first; of these venues, or of all. */
  switches(db: Db, from: Ms, to: Ms, venues: readonly string[] | undefined): Promise<VenueSwitch[]>
  /** Reads the changes of a symbol's terms that count from a time in [from, to] on, newest first. */
  termsChanges(db: Db, from: Ms, to: Ms, symbol: string): Promise<TermsChange[]>
  /** Tests: cuts downloads off sooner. */
  longestDownloadMs?: number
}

/** How prices are made, for everyone to see and to check. */
export const priceCompositionRoutes = (deps: PriceCompositionDeps): Handlers<PriceCompositionCalls> => ({
  ...compositionRoute(deps),
  ...switchesRoute(deps),
  ...tapeRoute(deps),
})

function named(instruments: Instruments, symbol: string): Instrument {
  const instrument = instruments.bySymbol(symbol)
  if (!instrument) throw new Problem('not_found', 'Symbol not found.')
  return instrument
}

function compositionRoute({
  instruments,
  memory,
  tape,
  view,
  clock,
}: PriceCompositionDeps): Handlers<'GET /prices/composition'> {
  const kept = answersOfOneFrame(() => memory.head().n)
  return {
    'GET /prices/composition': async ({ query }) => {
      const instrument = named(instruments, query.symbol)
      // The status of a symbol also changes with time alone.
      return kept(`${instrument.symbol} ${Math.floor(clock.now() / SECOND_MS)}`, async () => {
        const { symbols, venues } = await view().reports()
        const nameOf = (id: string) => venues.find(({ venue }) => venue === id)?.name ?? id
        const newest = tape.latest(instrument.symbol)
        // A price of another kind isn't shown.
        const latest = newest?.kind === kindOf(view().kind) ? newest : undefined
        const { n, t, hash } = memory.head()
        const { terms, staleAfterMs } = instrument
        return {
          status: true,
          data: {
            symbol: instrument.symbol,
            source: view().kind,
            ...tape.status(instrument.symbol),
            ...(latest
              ? {
                  price: formatPrice(latest.price, instrument.scale),
                  time: toIso(latest.sourceMs),
                  sequence: latest.seq,
                }
              : {}),
            frame: { number: n, time: toIso(t), hash: hash.toString('hex') },
            terms: {
              min_sources: terms.minSources,
              depth_usd: terms.depthUsd,
              largest_spread_bps: terms.largestSpreadBps,
              largest_deviation_bps: terms.largestDeviationBps,
              stale_after_ms: staleAfterMs,
            },
            ...madeOf(symbols[instrument.symbol], nameOf),
          },
        }
      })
    },
  }
}

function switchesRoute(deps: PriceCompositionDeps): Handlers<'GET /prices/switches'> {
  const { instruments, view } = deps
  return {
    'GET /prices/switches': async ({ query, reads }) => {
      const instrument = query.symbol === undefined ? undefined : named(instruments, query.symbol)
      const from = query.from === undefined ? 0 : instant('from', query.from)
      const to = query.to === undefined ? Number.MAX_SAFE_INTEGER : instant('to', query.to)
      if (from > to) throw fieldProblem('from', 'must not be after to')
      const { symbols, venues } = await view().reports()
      // Simulated prices are made from no exchange; those of a live past may have been.
      const made = instrument && symbols[instrument.symbol]?.pairs.flatMap(({ members }) => members)
      const switches = await deps.switches(
        reads,
        from,
        to,
        made?.map(({ venue }) => venue),
      )
      const changes = instrument && (await deps.termsChanges(reads, from, to, instrument.symbol))
      return {
        status: true,
        ...(changes && { terms_changed: changes.map((one) => toIso(one.from)) }),
        data: switches.map(({ venue, isOut, from }) => ({
          exchange: venue,
          name: venues.find((one) => one.venue === venue)?.name ?? venue,
          out: isOut,
          from: toIso(from),
        })),
      }
    },
  }
}

function tapeRoute(deps: PriceCompositionDeps): Handlers<'GET /prices/tape'> {
  const { instruments } = deps
  const download = tapeDownloads(deps)
  return {
    'GET /prices/tape': async ({ query }) => {
      const instrument = named(instruments, query.symbol)
      const from = Date.parse(`${query.day}T00:00:00Z`)
      if (Number.isNaN(from)) throw fieldProblem('day', 'must be a day')
      return csvFile(`${instrument.symbol}-${query.day}`, await download(instrument, from))
    },
  }
}

/** Returns the function that opens a day as a stream, which counts as one of its network's downloads until it closes. */
function tapeDownloads(deps: PriceCompositionDeps): (instrument: Instrument, from: Ms) => Promise<Readable> {
  let downloads = 0

  async function* pages(instrument: Instrument, from: Ms, first: StoredTick[]) {
    const until = Math.min(from + DAY_MS, deps.memory.head().t)
    let ticks = first
    for (let part = from; ; ) {
      yield ticks.map((tick) => cellsOf(tick, instrument.scale))
      part += PART_MS
      if (part >= until) return
      ticks = (await deps.search(instrument.id, part, part + PART_MS - 1)).ticks
    }
  }

  return async (instrument, from) => {
    if (downloads >= DOWNLOADS)
      throw new Problem('unavailable', 'Others are downloading right now. Try again in a minute.', {
        retryAfterSeconds: 60,
      })
    // Counted before anything is awaited, so that many requests at once don't all find room.
    downloads++
    try {
      const first = await deps.search(instrument.id, from, from + PART_MS - 1)
      if (first.dropped) throw new Problem('not_found', "This day's ticks are no longer stored.")
      const stream = Readable.from(csvText(TAPE_COLUMNS, pages(instrument, from, first.ticks)))
      // A client that stops reading also ends its download.
      const end = setTimeout(() => stream.destroy(), deps.longestDownloadMs ?? LONGEST_DOWNLOAD_MS)
      stream.once('close', () => {
        clearTimeout(end)
        downloads--
      })
      return stream
    } catch (error) {
      downloads--
      throw error
    }
  }
}

const cellsOf = ({ seq, sourceMs, price, kind, frame }: StoredTick, scale: number): Cell[] => [
  String(seq),
  String(sourceMs),
  formatPrice(price, scale),
  must(SOURCES[kind]),
  String(frame),
  { utc: sourceMs },
]

function madeOf(
  report: SymbolReport | undefined,
  nameOf: (venue: string) => string,
): Pick<PriceComposition, 'via' | 'pairs'> {
  if (!report) return { pairs: [] }
  return {
    ...(report.recipe.is === 'derived' ? { via: report.recipe.via } : {}),
    pairs: report.pairs.map(({ pair, price, why, members }) => ({
      pair,
      ...(price === undefined ? {} : { price }),
      ...(why === undefined ? {} : { without: why }),
      members: members.map((member) => memberOf(member, nameOf(member.venue))),
    })),
  }
}

const memberOf = (member: MemberReport, name: string): PriceComposition['pairs'][number]['members'][number] => ({
  venue: member.venue,
  name,
  market: member.market,
  standing: member.standing,
  is_deep: member.isDeep,
  ...(member.price === undefined ? {} : { price: member.price }),
  ...(member.bid === undefined ? {} : { bid: member.bid }),
  ...(member.ask === undefined ? {} : { ask: member.ask }),
  ...(member.receivedMs === undefined ? {} : { received: toIso(member.receivedMs) }),
  ...(member.distanceBps === undefined ? {} : { distance_bps: member.distanceBps }),
  ...(member.quarantinedUntilMs === undefined ? {} : { quarantined_until: toIso(member.quarantinedUntilMs) }),
})
