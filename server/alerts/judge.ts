import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import type { FrameEvent, Instrument, Tape } from '../prices/index.ts'
import { createIndicatorCrossings, type IndicatorCrossings } from './indicator-crossings.ts'
import { createMoves, type Moves } from './moves.ts'
import { createPriceLevels, type PriceLevels } from './price-levels.ts'
import type { ArmedAlert, Fire, JudgedTick } from './terms.ts'

export type JudgedTape = Pick<Tape, 'ticks' | 'minutes' | 'closedCandles' | 'provenUntil'>

/** The armed alerts of a symbol. */
interface SymbolJudge {
  levels: PriceLevels
  moves: Moves
  crossings: IndicatorCrossings
}

/**
 * All armed alerts, in memory, and what fires them. Pure but for the tape that it reads: the same alerts and ticks fire
 * the same, in one run or after a restart.
 */
export interface Judge {
  /** Adds all alerts of a symbol to an empty judge, and judges the ticks in memory that are newer than `from`. */
  load(instrument: Instrument, alerts: readonly ArmedAlert[], from: Ms): void
  /** Adds alerts that were just armed, and judges the ticks since then. An older version of each is forgotten. */
  add(instrument: Instrument, alerts: readonly ArmedAlert[]): void
  remove(id: bigint): void
  frame(entries: FrameEvent['entries']): void
  /** Whether it has this version of an alert, or a newer one. */
  knows(alert: Pick<ArmedAlert, 'id' | 'arming'>): boolean
  size(): number
}

/** `fired`: called once for each alert that fires. */
export function createJudge(tape: JudgedTape, fired: (fire: Fire) => void): Judge {
  const symbols = new Map<string, SymbolJudge>()
  const known = new Map<bigint, ArmedAlert>()

  function fire(alert: ArmedAlert, tick: JudgedTick, value?: number): void {
    if (alert.gone) return
    alert.gone = true
    fired({ alert, tick, ...(value === undefined ? {} : { value }) })
  }

  function put({ levels, moves, crossings }: SymbolJudge, alert: ArmedAlert): void {
    if (alert.kind === 'price') levels.add(alert)
    else if (alert.kind === 'move') moves.add(alert)
    else crossings.add(alert)
  }

  const minutesOf =
    (symbol: string): Parameters<typeof createMoves>[0] =>
    (from, to, each) =>
      tape.minutes(symbol, from, to, each)

  function judgeTick(judge: SymbolJudge, tick: JudgedTick): void {
    judge.levels.tick(tick, (alert) => fire(alert, tick))
    judge.moves.tick(tick, (alert) => fire(alert, tick))
  }

  const advance = ({ crossings }: SymbolJudge) => crossings.advance((alert, tick, value) => fire(alert, tick, value))

  /** Judges the ticks in memory from the beginning of a minute on. Each alert counts from its base. */
  function replay(instrument: Instrument, alerts: readonly ArmedAlert[], from: Ms): SymbolJudge {
    const { symbol, scale } = instrument
    const start = startOf(from, MINUTE_MS)
    const judge: SymbolJudge = {
      levels: createPriceLevels(),
      moves: createMoves(minutesOf(symbol), start),
      crossings: createIndicatorCrossings(tape, { symbol, scale }, start),
    }
    const waiting = alerts.toSorted((a, b) => b.baseSeq - a.baseSeq)
    tape.ticks(symbol, start, Number.POSITIVE_INFINITY, (seq, sourceMs, units) => {
      for (let next = waiting.at(-1); next !== undefined && next.baseSeq < seq; next = waiting.at(-1)) {
        waiting.pop()
        put(judge, next)
      }
      judgeTick(judge, { seq, sourceMs, units })
    })
    for (const alert of waiting) put(judge, alert)
    advance(judge)
    return judge
  }

  function forget(id: bigint): void {
    const alert = known.get(id)
    if (!alert) return
    alert.gone = true
    known.delete(id)
  }

  return {
    load(instrument, alerts, from) {
      for (const alert of alerts) known.set(alert.id, alert)
      symbols.set(instrument.symbol, replay(instrument, alerts, from))
    },
    add(instrument, alerts) {
      for (const alert of alerts) {
        forget(alert.id)
        known.set(alert.id, alert)
      }
      const main = symbols.get(instrument.symbol)
      const from = Math.min(...alerts.map(({ baseMs }) => baseMs))
      const caughtUp = replay(instrument, alerts, from)
      if (!main) symbols.set(instrument.symbol, caughtUp)
      else for (const alert of alerts) if (!alert.gone) put(main, alert)
    },
    remove: forget,
    frame(entries) {
      for (const { symbol, price, sourceMs, seq } of entries) {
        const judge = symbols.get(symbol)
        if (judge) judgeTick(judge, { units: Number(price), sourceMs, seq })
      }
      for (const judge of symbols.values()) advance(judge)
    },
    knows: ({ id, arming }) => (known.get(id)?.arming ?? 0) >= arming,
    size: () => known.size,
  }
}
