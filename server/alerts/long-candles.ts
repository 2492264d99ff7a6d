import type { Candle } from '#kernel/indicators/series.ts'
import { floatOfPrice } from '#kernel/price.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { Instrument, Prices, Tape } from '../prices/index.ts'

/** Of shorter candles, the day that the tape has in memory is enough. */
const SHORT_MS = 15 * MINUTE_MS
export const isLong = (intervalMs: number): boolean => intervalMs > SHORT_MS

/** Candles that an indicator begins with: enough that older ones don't change its value. */
const CANDLES = 600

type Priced = Pick<Instrument, 'symbol' | 'scale'>
/** The closed candles of a symbol up to a time, oldest first. */
export interface ClosedCandles {
  until: Ms
  list: readonly Candle[]
}

interface Kept extends ClosedCandles {
  of: Priced
  intervalMs: number
  /** Start of the period whose prices they are; undefined before they are read. */
  since: Ms | undefined
}

type ReadCandles = Prices['candles']

/** Reads the candles that an indicator begins with. */
export async function readLong(read: ReadCandles, { symbol, scale }: Priced, intervalMs: number, until: Ms) {
  return toCandles(await read(symbol, intervalMs, CANDLES, until), scale)
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

/** Candles of hours and days, read from the database once they are asked for, and then each time one closes. */
export class LongCandles {
  readonly #tape: Pick<Tape, 'provenUntil' | 'periodsOf'>
  readonly #read: ReadCandles
  /** At most one for each symbol and length. */
  readonly #kept = new Map<string, Kept>()

  constructor(tape: Pick<Tape, 'provenUntil' | 'periodsOf'>, read: ReadCandles) {
    this.#tape = tape
    this.#read = read
  }

  /** Returns what is known; undefined until it is read. */
  of(of: Priced, intervalMs: number): ClosedCandles | undefined {
    const key = `${of.symbol} ${intervalMs}`
    const kept = this.#kept.get(key)
    if (!kept) this.#kept.set(key, { of, intervalMs, until: 0, list: [], since: undefined })
    return kept?.since === undefined ? undefined : kept
  }

  /** Reads what has closed, and then throws if a read failed. Returns whether there was anything. */
  async read(): Promise<boolean> {
    let isNew = false
    const failures: unknown[] = []
    for (const kept of this.#kept.values()) {
      try {
        if (await this.#refresh(kept)) isNew = true
      } catch (error) {
        // The others don't wait for this one.
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return isNew
  }

  async #refresh(kept: Kept): Promise<boolean> {
    const { of, intervalMs } = kept
    const until = startOf(this.#tape.provenUntil(of.symbol) + 1, intervalMs)
    const since = this.#tape.periodsOf(of.symbol).at(-1)?.since ?? 0
    if (kept.until === until && kept.since === since) return false
    const isSame = kept.since === since
    const missing = isSame ? (until - kept.until) / intervalMs : CANDLES
    const bars = await this.#read(of.symbol, intervalMs, Math.min(CANDLES, missing), until)
    const fresh = toCandles(bars, of.scale).filter(({ time }) => !isSame || time >= kept.until)
    kept.list = [...(isSame ? kept.list : []), ...fresh].slice(-CANDLES)
    Object.assign(kept, { until, since })
    return true
  }
}
