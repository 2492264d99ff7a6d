import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { first, last, must } from '#kernel/must.ts'
import { parsePrice } from '#kernel/price.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import { StartProblem } from '../../platform/process/start-problem.ts'
import { type RecordedBar, ticksOfBar } from '../candles/bars.ts'
import { type Bar, barsOf } from '../candles/candles.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { UNITS_MAX } from '../tape/frames/frame.ts'
import { indexOfBars, indexOfPoints } from './recorded-index.ts'

/** One symbol's recording: strictly ascending times, units at the instrument's scale. */
export interface Track {
  slot: number
  ms: Float64Array
  units: Float64Array
  /** Until when each price is known to have had a living source: the end of its bar, or its own time. */
  heldUntil: Float64Array
}

/** Tracks that were recorded together and are replayed together. */
export interface Session {
  fromMs: Ms
  toMs: Ms
  tracks: Track[]
}

/** A gap longer than this starts a new session (a weekend is shorter). */
const SESSION_GAP_MS = 3 * DAY_MS

/** The kinds of recorded data, best first: if a symbol has several kinds in a session, the first one is replayed. */
const KINDS = ['trade frames', 'second trade bars', 'minute trade bars', 'quote ticks', 'minute quote bars'] as const
type Kind = (typeof KINDS)[number]

/** A venue's recording of a symbol: bars (`barMs` long), or points if `barMs` is 0. Ascending in time, as in the file. */
interface Piece {
  slot: number
  venue: string
  kind: Kind
  barMs: number
  bars: RecordedBar[]
}

/**
 * Reads a recording: a file, or a folder with the usable files in it or below. Accepts Binance's combined stream as
 * newline-delimited JSON (its trades, by exchange time, in file order) and CSV files named
 * `date_venue_SYMBOL_resolution_kind` (trade bars, quote bars and quote ticks; quotes by their mid). A symbol that several
 * venues recorded in the same way is read as their index. A symbol that was recorded in several sessions is read from the newest. Throws a `StartProblem` if there is nothing to replay.
 */
export async function loadRecording(path: string, instruments: Instruments): Promise<Session[]> {
  if (!existsSync(path)) throw new StartProblem(`The folder in FEED=replay:${path} doesn't exist.`)
  const sessions = sessionsOf(await piecesBelow(path, instruments))
  if (sessions.length === 0) throw new StartProblem(`FEED=replay:${path} has no recording that can be replayed.`)
  return sessions
}

/** One-minute bars of a symbol, oldest first. */
interface RecordedMinutes {
  symbol: string
  minutes: Bar[]
}

/**
 * Reads a recording as one-minute bars of all its days; empty if there is nothing to read. Each day of a symbol comes
 * from the best kind of data that was recorded on it. A minute without prices has no bar.
 */
export async function recordedMinutes(path: string, instruments: Instruments): Promise<RecordedMinutes[]> {
  const bySlot = Map.groupBy(await piecesBelow(path, instruments), (piece) => piece.slot)
  return [...bySlot].map(([slot, pieces]) => {
    const days = Map.groupBy(
      pieces.flatMap((piece) => {
        const byDay = Map.groupBy(piece.bars, ({ startMs }) => startOf(startMs, DAY_MS))
        return [...byDay].map(([day, bars]) => ({ day, piece: { ...piece, bars } }))
      }),
      ({ day }) => day,
    )
    const made = barsOf(MINUTE_MS)
    for (const [, ofDay] of [...days].sort(([a], [b]) => a - b)) {
      const { ms, units } = trackOf(
        slot,
        ofDay.map(({ piece }) => piece),
      )
      for (const [at, value] of units.entries()) made.add(must(ms[at]), [value, value, value, value])
    }
    return { symbol: must(instruments.list[slot]).symbol, minutes: made.bars }
  })
}

async function piecesBelow(path: string, instruments: Instruments): Promise<Piece[]> {
  const pieces: Piece[] = []
  for (const file of filesBelow(path)) pieces.push(...(await readPieces(file, instruments)))
  return pieces.filter((piece) => piece.bars.length > 0)
}

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}

async function readPieces(file: string, instruments: Instruments): Promise<Piece[]> {
  const name = basename(file).replace(/\.gz$/, '')
  if (name.endsWith('.ndjson')) return readTradeFrames(file, instruments)
  const [, venue = '', symbol, resolution, what] =
    /^[\d-]+_(\w+?)_([A-Z0-9]+)_(1s|1m|tick)_(trade|quote)\.csv$/.exec(name) ?? []
  const slot = instruments.slotOf(symbol ?? '')
  if (slot === undefined) return []
  const { scale } = must(instruments.list[slot])
  const bars: RecordedBar[] = []
  let barMs = resolution === '1s' ? SECOND_MS : MINUTE_MS
  let kind: Kind = resolution === '1s' ? 'second trade bars' : 'minute trade bars'
  if (what === 'quote') kind = resolution === 'tick' ? 'quote ticks' : 'minute quote bars'
  if (kind === 'quote ticks') barMs = 0
  for await (const line of linesOf(file)) {
    const cells = line.split(',')
    const startMs = Number(cells[0])
    if (!Number.isSafeInteger(startMs) || startMs <= 0) continue
    if (kind === 'quote ticks') {
      const mid = midUnits(cells[1], cells[2], scale)
      if (mid !== undefined) bars.push(pointAt(startMs, mid))
      continue
    }
    const prices =
      what === 'quote'
        ? [1, 2, 3, 4].map((at) => midUnits(cells[at], cells[at + 5], scale))
        : [1, 2, 3, 4].map((at) => unitsOf(cells[at], scale))
    const [open, high, low, close] = prices
    if (open === undefined || high === undefined || low === undefined || close === undefined) continue
    bars.push({ startMs, open, high, low, close })
  }
  return [{ slot, venue, kind, barMs, bars }]
}

const pointAt = (startMs: Ms, units: number): RecordedBar => ({
  startMs,
  open: units,
  high: units,
  low: units,
  close: units,
})

/**
 * Lines `{"rx_ns": …, "frame": {"stream": "btcusdt@trade", "data": {…}}}`; bookTicker frames carry no time and are
 * skipped.
 */
async function readTradeFrames(file: string, instruments: Instruments): Promise<Piece[]> {
  const points = new Map<number, RecordedBar[]>()
  for await (const line of linesOf(file)) {
    if (!line.includes('@trade"')) continue
    const data = parsed(line)?.frame?.data
    const slot = instruments.slotOf(String(data?.s))
    if (slot === undefined) continue
    const units = unitsOf(data?.p, must(instruments.list[slot]).scale)
    const time = data?.T
    if (units === undefined || typeof time !== 'number' || !Number.isSafeInteger(time) || time <= 0) continue
    const list = points.get(slot) ?? []
    if (list.length === 0) points.set(slot, list)
    list.push(pointAt(time, units))
  }
  return [...points].map(([slot, bars]) => ({ slot, venue: 'binance', kind: 'trade frames', barMs: 0, bars }))
}

interface UncheckedFrame {
  frame?: { data?: { s?: unknown; p?: unknown; T?: unknown } }
}

function parsed(line: string): UncheckedFrame | undefined {
  try {
    return JSON.parse(line) as UncheckedFrame
  } catch {
    return undefined
  }
}

function linesOf(file: string): AsyncIterable<string> {
  const bytes = createReadStream(file)
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
}

function unitsOf(unchecked: unknown, scale: number): number | undefined {
  const units = typeof unchecked === 'string' ? parsePrice(unchecked, scale) : undefined
  return units !== undefined && units <= BigInt(UNITS_MAX) ? Number(units) : undefined
}

function midUnits(bid: string | undefined, ask: string | undefined, scale: number): number | undefined {
  const below = parsePrice(bid ?? '', scale + 2)
  const above = parsePrice(ask ?? '', scale + 2)
  if (below === undefined || above === undefined || below > above) return undefined
  const mid = (below + above + 100n) / 200n
  return mid > 0n && mid <= BigInt(UNITS_MAX) ? Number(mid) : undefined
}

function sessionsOf(pieces: Piece[]): Session[] {
  const byBeginning = pieces.toSorted((a, b) => first(a.bars).startMs - first(b.bars).startMs)
  const groups: { toMs: Ms; pieces: Piece[] }[] = []
  for (const piece of byBeginning) {
    const toMs = last(piece.bars).startMs + piece.barMs
    const group = groups.at(-1)
    if (group && first(piece.bars).startMs - group.toMs <= SESSION_GAP_MS) {
      group.pieces.push(piece)
      group.toMs = Math.max(group.toMs, toMs)
    } else groups.push({ toMs, pieces: [piece] })
  }
  const taken = new Set<number>()
  const sessions: Session[] = []
  for (const group of groups.toReversed()) {
    const bySlot = Map.groupBy(group.pieces, (piece) => piece.slot)
    const tracks = [...bySlot].filter(([slot]) => !taken.has(slot)).map(([slot, of]) => trackOf(slot, of))
    if (tracks.length === 0) continue
    for (const { slot } of tracks) taken.add(slot)
    sessions.push({
      fromMs: beginningOf(tracks),
      toMs: Math.max(...tracks.map((track) => last(track.ms))),
      tracks,
    })
  }
  return sessions
}

/** A session begins when all of its tracks have begun, so that none is silent for its first day; or with the first. */
function beginningOf(tracks: readonly Track[]): Ms {
  const allBegun = Math.max(...tracks.map((track) => first(track.ms)))
  const allGoOn = tracks.every((track) => last(track.ms) > allBegun)
  return allGoOn ? allBegun : Math.min(...tracks.map((track) => first(track.ms)))
}

function trackOf(slot: number, pieces: Piece[]): Track {
  const { kind, barMs } = bestOf(pieces)
  const byVenue = Map.groupBy(
    pieces.filter((piece) => piece.kind === kind),
    ({ venue }) => venue,
  )
  const ofVenues = [...byVenue.values()].map(inOrder)
  const bars = ofVenues.length === 1 ? first(ofVenues) : barMs > 0 ? indexOfBars(ofVenues) : indexOfPoints(ofVenues)
  const points = bars.flatMap((bar) =>
    barMs > 0
      ? ticksOfBar(bar, barMs).map(([ms, units]) => [ms, units, bar.startMs + barMs] as const)
      : [[bar.startMs, bar.close, bar.startMs] as const],
  )
  return {
    slot,
    ms: Float64Array.from(points, ([ms]) => ms),
    units: Float64Array.from(points, ([, units]) => units),
    heldUntil: Float64Array.from(points, ([, , until]) => until),
  }
}

/** The best kind that several venues recorded, because one of them may lie; otherwise the best there is. */
function bestOf(pieces: readonly Piece[]): Piece {
  const inKind = (kind: Kind) => pieces.filter((piece) => piece.kind === kind)
  const shared = KINDS.find((kind) => new Set(inKind(kind).map(({ venue }) => venue)).size > 1)
  return first(inKind(shared ?? must(KINDS.find((kind) => inKind(kind).length > 0))))
}

/**
 * Joins a venue's files, by their beginning. Of trades in the same millisecond the last in the file counts; what is out
 * of order is dropped.
 */
function inOrder(pieces: readonly Piece[]): RecordedBar[] {
  const bars: RecordedBar[] = []
  for (const bar of pieces
    .toSorted((a, b) => first(a.bars).startMs - first(b.bars).startMs)
    .flatMap((piece) => piece.bars)) {
    const last = bars.at(-1)?.startMs ?? 0
    if (bar.startMs > last) bars.push(bar)
    else if (bar.startMs === last) bars[bars.length - 1] = bar
  }
  return bars
}
