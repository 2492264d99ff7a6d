import { setImmediate as breathe } from 'node:timers/promises'
import { fieldProblem } from '#contract/problem.ts'
import { BACKTEST } from '#contract/trading/backtest.ts'
import { must } from '#kernel/must.ts'
import { DAY_MS, MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Db } from '../platform/database/db.ts'
import { type Instruments, type RecordedDay, storedMinutes, storedRange, type Tape } from '../prices/index.ts'
import type { SymbolData, Work } from './run.ts'
import { type BacktestSettings, symbolsOf } from './settings.ts'
import { type Range, warmUpMs } from './signals.ts'

export interface ReadDeps {
  db: Db
  tape: Tape
  instruments: Instruments
  /** Recorded days, newest first. */
  recordings(): Promise<readonly RecordedDay[]>
}

/** Days read in one query. */
const DAYS_AT_ONCE = 3
/** Maximum candles to take from memory, for the minutes that aren't stored yet: a day of them. */
const RECENT = DAY_MS / MINUTE_MS

/** Returns the time that the tape covers in full minutes; undefined before the first. */
export async function tapeRange({ db, tape, instruments }: ReadDeps): Promise<Range | undefined> {
  const traded = tradedSymbols(instruments)
  const to = startOf(Math.max(0, Math.min(...traded.map((symbol) => tape.provenUntil(symbol))) + 1), MINUTE_MS)
  const stored = await storedRange(db)
  // Nothing is stored in the first quarter of an hour.
  const recent = () => traded.flatMap((symbol) => tape.closedCandles(symbol, MINUTE_MS, RECENT, to)[0]?.[0] ?? [])
  const from = stored?.from ?? Math.min(...recent())
  return from < to ? { from, to } : undefined
}

/**
 * Reads days of the tape, and earlier minutes to fill the first windows. Without symbols, reads all that are traded.
 */
export async function readTape(deps: ReadDeps, wanted: BacktestSettings, days: Range): Promise<Work> {
  const { db, tape, instruments } = deps
  const settings = withSymbols(wanted, tradedSymbols(instruments), 'is not traded here')
  checkSize(settings, days)
  const covered = await tapeRange(deps)
  const range = { from: Math.max(days.from, covered?.from ?? days.to), to: Math.min(days.to, covered?.to ?? days.from) }
  if (range.from >= range.to) throw fieldProblem('from', 'The tape has no prices in these days. Choose other days.')
  const from = range.from - warmUpMs(settings)
  const stored = await storedRange(db)
  const data: SymbolData[] = []
  for (const symbol of symbolsOf(settings)) {
    await breathe()
    const market = marketOf(instruments, symbol)
    // What is stored knows more.
    const recent = tape
      .closedCandles(symbol, MINUTE_MS, RECENT, range.to)
      .filter(([time]) => time >= Math.max(from, stored?.to ?? from))
    const until = recent[0]?.[0] ?? range.to
    const parts: SymbolData['parts'] = []
    for (let start = from; start < until; start += DAYS_AT_ONCE * DAY_MS)
      parts.push(
        bytesOf(await storedMinutes(db, market.symbolId, start, Math.min(until, start + DAYS_AT_ONCE * DAY_MS))),
      )
    data.push({ ...market, parts: [...parts, bytesOf(JSON.stringify(recent))] })
  }
  return { settings, range, data }
}

/**
 * Reads a recorded day, and the day before it to fill the first windows. Without symbols, reads all that were recorded
 * on it.
 */
export async function readRecording(
  { instruments, recordings }: ReadDeps,
  wanted: BacktestSettings,
  start: Ms,
): Promise<Work> {
  const days = await recordings()
  const day = days.find((one) => one.start === start)
  if (!day || recordedSymbols(day, instruments).length === 0)
    throw fieldProblem('source', 'must be tape or a recorded day')
  const settings = withSymbols(wanted, recordedSymbols(day, instruments), 'was not recorded on this day')
  const read = [days.find((one) => one.start === start - DAY_MS), day]
  const data: SymbolData[] = []
  for (const symbol of symbolsOf(settings)) {
    await breathe()
    const market = marketOf(instruments, symbol)
    const parts = read.flatMap((one) => one?.minutes.get(symbol) ?? []).map(bytesOf)
    data.push({ ...market, parts })
  }
  return { settings, range: { from: start, to: start + DAY_MS }, data }
}

function marketOf(instruments: Instruments, symbol: string): Omit<SymbolData, 'parts'> {
  const { id: symbolId, scale, tradingType } = must(instruments.bySymbol(symbol))
  return { symbol, symbolId, scale, tradingType: must(tradingType) }
}

const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text)

/** Returns the symbols of a recorded day that can be traded. */
export const recordedSymbols = ({ minutes }: RecordedDay, instruments: Instruments): string[] =>
  tradedSymbols(instruments).filter((symbol) => minutes.has(symbol))

const tradedSymbols = ({ list }: Instruments): string[] =>
  list.filter(({ tradingType }) => tradingType !== null).map(({ symbol }) => symbol)

function withSymbols(settings: BacktestSettings, known: readonly string[], otherwise: string): BacktestSettings {
  const strategies = settings.strategies.map((one, at) => {
    const missing = one.symbols.find((symbol) => !known.includes(symbol))
    if (missing !== undefined) {
      // A rule is tried alone.
      const field = typeof one.strategy === 'string' ? `strategies.${at}.symbols` : 'symbols'
      throw fieldProblem(field, `${missing} ${otherwise}`)
    }
    return { ...one, symbols: one.symbols.length > 0 ? [...new Set(one.symbols)] : known }
  })
  return { ...settings, strategies }
}

function checkSize(settings: BacktestSettings, { from, to }: Range): void {
  // Each strategy decides for itself.
  const symbols = settings.strategies.flatMap((one) => one.symbols)
  const days = (to - from) / DAY_MS
  if (symbols.length * days <= BACKTEST.symbolDays) return
  const most = Math.floor(BACKTEST.symbolDays / symbols.length)
  throw fieldProblem('to', `is too late: ${symbols.length} symbols can be tried on ${most} days at most`)
}

/** Returns the range of days that a request names, both included. */
export function daysOf(from: string | undefined, to: string | undefined): Range {
  if (from === undefined) throw fieldProblem('from', 'must not be empty')
  if (to === undefined) throw fieldProblem('to', 'must not be empty')
  const range = { from: Date.parse(from), to: Date.parse(to) + DAY_MS }
  if (range.from >= range.to) throw fieldProblem('to', 'must not be before the first day')
  if (range.to - range.from > BACKTEST.days * DAY_MS)
    throw fieldProblem('to', `is too late: at most ${BACKTEST.days} days can be tried`)
  return range
}
