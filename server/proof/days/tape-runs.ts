import { first, must } from '#kernel/must.ts'
import type { Terms, Tick } from '../../trading/index.ts'

/**
 * A trade in the pass over the tape, with the ticks that decide it: the first after it, a change of source, the last.
 */
interface Run {
  terms: Terms
  ticks: Tick[]
}

interface SymbolRuns {
  /** By the time of the trade, from the next one on. */
  waiting: Run[]
  /** By the end of the trade. */
  begun: Run[]
  last: Tick | undefined
}

/** Collects the ticks that decide trades in one pass over the tape, and keeps only those in memory. */
export class TapeRuns {
  readonly #symbols = new Map<string, SymbolRuns>()

  /** Adds a trade; all are added before the first tick. Its ticks are complete after `end`. */
  add(symbol: string, terms: Terms): readonly Tick[] {
    const runs = this.#symbols.get(symbol) ?? { waiting: [], begun: [], last: undefined }
    const run: Run = { terms, ticks: [] }
    runs.waiting.push(run)
    this.#symbols.set(symbol, runs)
    return run.ticks
  }

  /** Sorts what was added. */
  start(): void {
    // From the back, so that the next one is popped.
    for (const { waiting } of this.#symbols.values()) waiting.sort((a, b) => b.terms.tradeTime - a.terms.tradeTime)
  }

  /** Takes the next tick of a symbol. */
  tick(symbol: string, tick: Tick): void {
    const runs = this.#symbols.get(symbol)
    if (!runs) return
    const { waiting, begun, last } = runs
    while (begun.length > 0 && first(begun).terms.endTime < tick.sourceMs) finish(must(begun.shift()), last)
    if (last && last.kind !== tick.kind)
      for (const { terms, ticks } of begun) if (tick.kind !== terms.sourceKind) ticks.push(tick)
    for (let run = waiting.at(-1); run && run.terms.tradeTime < tick.sourceMs; run = waiting.at(-1)) {
      waiting.pop()
      run.ticks.push(tick)
      if (run.terms.endTime < tick.sourceMs) continue
      const at = begun.findIndex(({ terms }) => terms.endTime > run.terms.endTime)
      begun.splice(at === -1 ? begun.length : at, 0, run)
    }
    runs.last = tick
  }

  /** Ends the pass: each symbol's last tick is the last one of its unfinished trades. */
  end(): void {
    for (const { begun, last } of this.#symbols.values()) for (const run of begun.splice(0)) finish(run, last)
  }
}

function finish({ ticks }: Run, last: Tick | undefined): void {
  if (last && last !== ticks.at(-1)) ticks.push(last)
}
