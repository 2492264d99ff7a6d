import { must } from '#kernel/must.ts'
import type { RecordedStrategy } from '../own-strategies/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { Instruments, Tape } from '../prices/index.ts'
import type { Strategy } from '../strategies/index.ts'
import { createDecider, type Draft } from './decide.ts'
import { judgeDue, nextEnd } from './judge.ts'
import { recordSignals, type SignalRow } from './record.ts'
import { signalsRoutes } from './routes.ts'
import { decideReceived } from './webhooks/decide-received.ts'

export { chainEnd, signalsByNumber } from './record.ts'
export { replaySignals } from './replay.ts'
export { outcomesOf } from './statistics.ts'
export { webhooksLimit, webhooksRoutes } from './webhooks/routes.ts'

interface SignalsDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  tape: Tape
  instruments: Instruments
  strategies: readonly Strategy[]
  /** Reads traders' strategies whose signals are recorded. */
  traders(): Promise<readonly RecordedStrategy[]>
  /** Calls the listener when a node has taken a signal from outside. */
  onReceived(listener: () => void): void
  log: Log
  /** Whether this process computes and judges signals (role `engine`). */
  works: boolean
  /** Called with signals that were just committed, oldest first. */
  recorded(signals: readonly SignalRow[]): void
}

export interface Signals {
  routes: ReturnType<typeof signalsRoutes>
  /** The tape has advanced. */
  frame(): void
  stop(): Promise<void>
}

/** Frames wake the decision; this often it looks without one. */
const DECIDE_MS = 2_000
const JUDGE_MS = 1_000
/** The node that takes a signal from outside wakes the loop; this often it looks without. */
const RECEIVED_MS = 1_000
/** How often outcomes are looked for while none is known to be due: another engine may have recorded signals. */
const LOOK_MS = 30_000
/** Signals of traders' strategies that are written in one transaction: others may write between two of them. */
const AT_ONCE = 200

/** Computes, records and judges the signals of all strategies. */
export function startSignals(deps: SignalsDeps): Signals {
  const { db, tape, instruments, log, strategies, traders } = deps
  const decider = createDecider({ tape, instruments, strategies, traders })
  // Tape time from which a signal may be due.
  let dueFrom = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  const untilDue = () => {
    const lookMs = LOOK_MS - (performance.now() - lookedAt)
    return Math.max(JUDGE_MS, Math.min(lookMs, dueFrom - tape.head().t))
  }
  const record = async (drafts: readonly Draft[]) => announce(await recordSignals(db, drafts))
  function announce(signals: readonly SignalRow[]): void {
    for (const { end_time } of signals) dueFrom = Math.min(dueFrom, Number(end_time))
    if (signals.length === 0) return
    deps.recorded(signals)
    // It may rest until an outcome that is due later.
    must(loops[1]).wake()
  }
  const loops: Loop[] = deps.works
    ? [
        startLoop('signals', DECIDE_MS, log, async () => {
          await record(await decider.newDrafts())
          const drafts = await decider.tradersDrafts()
          for (let from = 0; from < drafts.length; from += AT_ONCE) await record(drafts.slice(from, from + AT_ONCE))
        }),
        startLoop('signal outcomes', untilDue, log, async () => {
          if (tape.head().t < dueFrom && performance.now() - lookedAt < LOOK_MS) return
          lookedAt = performance.now()
          // What is recorded meanwhile may be due earlier.
          dueFrom = Number.POSITIVE_INFINITY
          await judgeDue(db, tape, instruments)
          dueFrom = Math.min(dueFrom, await nextEnd(db))
        }),
        startLoop('signals from outside', RECEIVED_MS, log, async () => {
          for (;;) {
            const signals = await decideReceived({ db, tape, instruments })
            if (signals.length === 0) return
            announce(signals)
          }
        }),
      ]
    : []
  if (deps.works) deps.onReceived(() => loops[2]?.wake())
  return {
    routes: signalsRoutes(deps),
    frame: () => loops[0]?.wake(),
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
