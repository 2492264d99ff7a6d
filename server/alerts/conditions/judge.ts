import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { FrameEvent, Instrument, Tape } from '../../prices/index.ts'
import type { ClosedCandles } from './closed-candles.ts'
import { IndicatorCrossings } from './indicator-crossings.ts'
import { Moves } from './moves.ts'
import { createPriceLevels, type PriceLevels } from './price-levels.ts'
import type { Fire, JudgedTick, Watch } from './terms.ts'
import { createTimes, type Times } from './times.ts'

type JudgedTape = Pick<Tape, 'ticks' | 'periodsOf' | 'minutes' | 'provenUntil'>

/** For what isn't judged on indicators. */
const NO_CANDLES: Pick<ClosedCandles, 'of'> = { of: () => undefined }

/** What a symbol is watched for. */
interface SymbolJudge {
  levels: PriceLevels
  times: Times
  moves: Moves
  crossings: IndicatorCrossings
  /** The kind of source of the newest tick; undefined before the first. */
  kind: number | undefined
}

/**
 * All armed alerts, or whatever else the tape is watched for, in memory, and what fires them. Pure but for the tape that it reads: the same alerts and ticks fire
 * the same, in one run or after a restart.
 */
export class Judge<T extends Watch = Watch> {
  readonly #tape: JudgedTape
  readonly #fired: (fire: Fire<T>) => void
  readonly #candles: Pick<ClosedCandles, 'of'>
  readonly #symbols = new Map<string, SymbolJudge>()
  readonly #known = new Map<bigint, T>()

  /** `fired`: called once for each alert that fires. */
  constructor(tape: JudgedTape, fired: (fire: Fire<T>) => void, candles: Pick<ClosedCandles, 'of'> = NO_CANDLES) {
    this.#tape = tape
    this.#fired = fired
    this.#candles = candles
  }

  /** Adds all alerts of a symbol to an empty judge, and judges the ticks in memory that are newer than `from`. */
  load(instrument: Instrument, alerts: readonly T[], from: Ms): void {
    for (const alert of alerts) this.#known.set(alert.id, alert)
    this.#symbols.set(instrument.symbol, this.#replay(instrument, alerts, from))
  }

  /** Adds alerts that were just armed, and judges the ticks since then. An older version of each is forgotten. */
  add(instrument: Instrument, alerts: readonly T[]): void {
    for (const alert of alerts) {
      this.remove(alert.id)
      this.#known.set(alert.id, alert)
    }
    const main = this.#symbols.get(instrument.symbol)
    const from = alerts.reduce((least, { baseMs }) => Math.min(least, baseMs), Number.POSITIVE_INFINITY)
    const caughtUp = this.#replay(instrument, alerts, from)
    if (!main) this.#symbols.set(instrument.symbol, caughtUp)
    else for (const alert of alerts) if (!alert.gone) put(main, alert)
  }

  remove(id: bigint): void {
    const alert = this.#known.get(id)
    if (!alert) return
    alert.gone = true
    this.#known.delete(id)
  }

  frame(entries: FrameEvent['entries']): void {
    for (const { symbol, price, sourceMs, seq, kind } of entries) {
      const judge = this.#symbols.get(symbol)
      if (!judge) continue
      if (judge.kind !== kind) begin(judge, { kind, since: sourceMs })
      this.#tick(judge, { units: Number(price), sourceMs, seq })
    }
  }

  /** Judges the candles that have closed, symbol by symbol: a minute that ends closes those of all at once. */
  *advance(): Generator<void> {
    for (const judge of this.#symbols.values()) if (this.#advance(judge)) yield
  }

  /** Whether it has this version of an alert, or a newer one. */
  knows({ id, arming }: Pick<Watch, 'id' | 'arming'>): boolean {
    return (this.#known.get(id)?.arming ?? 0) >= arming
  }

  /** Whether a candle that has closed isn't judged yet, because it isn't read. */
  get isLate(): boolean {
    return this.#symbols.values().some(({ crossings }) => crossings.isLate)
  }

  get size(): number {
    return this.#known.size
  }

  /** Judges the ticks in memory from the beginning of a minute on. Each alert counts from its base. */
  #replay({ symbol, scale }: Instrument, alerts: readonly T[], from: Ms): SymbolJudge {
    const start = startOf(from, MINUTE_MS)
    const periods = this.#tape.periodsOf(symbol)
    const begun = periods.findLast(({ since }) => since <= start)
    const toBegin = periods.filter(({ since }) => since > start).reverse()
    const judge: SymbolJudge = {
      levels: createPriceLevels(),
      times: createTimes(),
      moves: new Moves(
        (since, until, each) => this.#tape.minutes(symbol, since, until, each),
        start,
        begun?.since ?? 0,
      ),
      crossings: new IndicatorCrossings(this.#tape, { symbol, scale }, start, this.#candles),
      kind: begun?.kind,
    }
    const waiting = alerts.toSorted((a, b) => b.baseSeq - a.baseSeq)
    this.#tape.ticks(symbol, start, Number.POSITIVE_INFINITY, (seq, sourceMs, units) => {
      for (let next = waiting.at(-1); next !== undefined && next.baseSeq < seq; next = waiting.at(-1)) {
        waiting.pop()
        put(judge, next)
      }
      for (let next = toBegin.at(-1); next !== undefined && next.since <= sourceMs; next = toBegin.at(-1)) {
        toBegin.pop()
        begin(judge, next)
      }
      this.#tick(judge, { seq, sourceMs, units })
    })
    for (const alert of waiting) put(judge, alert)
    this.#advance(judge)
    return judge
  }

  #tick({ levels, times, moves }: SymbolJudge, tick: JudgedTick): void {
    levels.tick(tick, (alert) => this.#fire(alert, tick))
    times.tick(tick, (watch) => this.#fire(watch, tick))
    moves.tick(tick, (alert) => this.#fire(alert, tick))
  }

  #advance({ crossings }: SymbolJudge): boolean {
    return crossings.advance((alert, tick, value) => this.#fire(alert, tick, value))
  }

  #fire(alert: Watch, tick: JudgedTick, value?: number): void {
    if (alert.gone) return
    alert.gone = true
    if (alert.untilMs !== undefined && tick.sourceMs > alert.untilMs) return
    // Only what was added is fired.
    this.#fired({ alert: alert as T, tick, ...(value === undefined ? {} : { value }) })
  }
}

/** Prices come from another kind of source from now on. */
function begin(judge: SymbolJudge, { kind, since }: { kind: number; since: Ms }): void {
  judge.kind = kind
  judge.moves.begin(since)
}

function put({ levels, times, moves, crossings }: SymbolJudge, alert: Watch): void {
  if (alert.kind === 'price') levels.add(alert)
  else if (alert.kind === 'time') times.add(alert)
  else if (alert.kind === 'move') moves.add(alert)
  else crossings.add(alert)
}
