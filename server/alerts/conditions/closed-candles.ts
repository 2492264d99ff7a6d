import type { Candle } from '#kernel/indicators/series.ts'
import { floatOfPrice } from '#kernel/price.ts'
import { type Ms, startOf } from '#kernel/time.ts'
import type { Instrument, Prices, Tape } from '../../prices/index.ts'

/** Candles that an indicator begins with: as many as a chart shows at first, so that both have the same values. */
const CANDLES = 1_000

/** Candles that nobody has asked for while so many closed are dropped. */
const FORGOTTEN = 2

type Priced = Pick<Instrument, 'symbol' | 'scale'>
type ReadCandles = Prices['candles']

/** The closed candles of a symbol up to a time, oldest first. */
export interface CandlesUntil {
  /** When the period began whose prices they are: those of another kind of source aren't compared. */
  since: Ms
  until: Ms
  list: readonly Candle[]
}

interface Kept {
  of: Priced
  intervalMs: number
  /** Undefined before they are read. */
  read: CandlesUntil | undefined
  /** How many candles were added since they were last asked for. */
  unasked: number
}

/** Reads the candles that an indicator begins with. */
export async function readCandles(read: ReadCandles, { symbol, scale }: Priced, intervalMs: number, until: Ms) {
  return toCandles(await read(symbol, intervalMs, CANDLES, startOf(until, intervalMs)), scale)
}

export function toCandles(bars: Awaited<ReturnType<ReadCandles>>, scale: number): Candle[] {
  const float = (units: number) => floatOfPrice(units, scale)
  return bars.map(([time, open, high, low, close]) => ({
    time,
    open: float(open),
    high: float(high),
    low: float(low),
    close: float(close),
  }))
}

/**
 * The candles that indicators are computed from: read once they are asked for, from before the tape's beginning, too, and
 * then each time one closes, which the memory of the tape nearly always has.
 */
export class ClosedCandles {
  readonly #tape: Pick<Tape, 'provenUntil' | 'periodsOf'>
  readonly #read: ReadCandles
  /** At most one for each symbol and length. */
  readonly #kept = new Map<string, Kept>()

  constructor(tape: Pick<Tape, 'provenUntil' | 'periodsOf'>, read: ReadCandles) {
    this.#tape = tape
    this.#read = read
  }

  /** Returns what is known; undefined until it is read. */
  of(of: Priced, intervalMs: number): CandlesUntil | undefined {
    const key = `${of.symbol} ${intervalMs}`
    const kept = this.#kept.get(key)
    if (kept) kept.unasked = 0
    else this.#kept.set(key, { of, intervalMs, read: undefined, unasked: 0 })
    return kept?.read
  }

  /** Reads what has closed, and then throws if a read failed. Returns whether there was anything. */
  async read(): Promise<boolean> {
    let isNew = false
    const failures: unknown[] = []
    for (const [key, kept] of this.#kept) {
      try {
        if (await this.#refresh(key, kept)) isNew = true
      } catch (error) {
        // The others don't wait for this one.
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return isNew
  }

  async #refresh(key: string, kept: Kept): Promise<boolean> {
    const { of, intervalMs, read } = kept
    const until = startOf(this.#tape.provenUntil(of.symbol) + 1, intervalMs)
    const since = this.#tape.periodsOf(of.symbol).at(-1)?.since ?? 0
    const before = read?.since === since ? read : undefined
    if (before?.until === until) return false
    if (kept.unasked > FORGOTTEN) {
      this.#kept.delete(key)
      return false
    }
    const missing = before ? (until - before.until) / intervalMs : CANDLES
    const bars = await this.#read(of.symbol, intervalMs, Math.min(CANDLES, missing), until)
    const fresh = toCandles(bars, of.scale).filter(({ time }) => !before || time >= before.until)
    kept.read = { since, until, list: [...(before?.list ?? []), ...fresh].slice(-CANDLES) }
    kept.unasked++
    return true
  }
}
