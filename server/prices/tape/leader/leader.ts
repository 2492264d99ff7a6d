import { sqlState } from '../../../platform/database/db.ts'
import type { Clock } from '../../../platform/process/clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Feed } from '../../feeds/feed.ts'
import type { Instruments } from '../../instruments/instruments.ts'
import type { Entry } from '../frames/frame.ts'
import { createGate, type Gate } from '../gate.ts'
import type { Memory } from '../memory/memory.ts'
import { createFollower, cutOffLeader, type ShownFrame } from './follow.ts'
import { createInFlight, type OrdersToBind } from './in-flight.ts'
import { createFrameWriter } from './lead.ts'
import { frameMaker } from './next-frame.ts'
import { createPace, LEADER_SILENT_MS } from './pace.ts'
import { createTapeConnection } from './tape-connection.ts'

/** One node's part in the tape: it leads if it gets the lock, and follows otherwise. */
interface Leader {
  /**
   * Runs one round: lead or follow. Throws if the database is unreachable; the next round resumes where this one
   * stopped. `paced`: waits until a frame is due.
   */
  step(paced?: boolean): Promise<void>
  leads(): boolean
  /** The tape may have new frames of another node, or a frame is due sooner: look now. */
  wake(): void
  gate: Gate
  stop(): Promise<void>
}

interface LeaderDeps {
  url: string
  instruments: Instruments
  memory: Memory
  /** This node's feed. Without one it never leads. */
  feed: Feed | undefined
  /** Reads the instruments again: another node has one that this node doesn't know, or one was withdrawn. */
  reloadInstruments(): Promise<void>
  clock: Clock
  log: Log
  /** The operator declares that this database is a copy: the tape continues in a new epoch. */
  newEpoch?: boolean
  /** Whether a frame a second is enough. */
  isQuiet?: (() => boolean) | undefined
  orders?(): OrdersToBind | undefined
  /**
   * Called for each frame after its commit and after memory has it, in order. `periodBegan`: with it, a symbol's kind of
   * source began or changed.
   */
  shown(frame: ShownFrame, entries: readonly Entry[], periodBegan: boolean): void
}

export function createLeader(deps: LeaderDeps): Leader {
  const { instruments, memory, feed, clock, log } = deps
  const gate = createGate(instruments, memory.newest)
  const show = (frame: ShownFrame, entries: readonly Entry[]) =>
    deps.shown(frame, entries, memory.apply(frame, entries))
  const connection = createTapeConnection(deps.url, log)
  const pace = createPace({ memory, clock, mayLead: feed !== undefined, isQuiet: deps.isQuiet })
  const follower = createFollower({ ...deps, show })
  const inFlight = createInFlight(deps.orders, show)
  const writer =
    feed &&
    createFrameWriter({
      ...{ connection, follower, inFlight, memory, gate, clock, log, show },
      newEpoch: deps.newEpoch ?? false,
      nextFrame: frameMaker({ instruments, memory, feed, gate, pace, orders: inFlight.orders }),
    })
  const { leads } = connection
  // The first round doesn't wait: it may take the lead.
  let isFirst = true
  let foundNothing = false
  const stopped = new AbortController()

  async function step(paced = false): Promise<void> {
    if (paced) await (leads() || isFirst ? pace.untilDue(foundNothing) : pace.untilWoken())
    if (stopped.signal.aborted) return
    isFirst = false
    const before = memory.head().n
    const connected = await connection.open()
    try {
      if (!leads()) await writer?.takeLead(connected)
      if (leads()) await writer?.lead(connected)
      else {
        await follower.catchUp(connected)
        if (writer && pace.silentMs() >= LEADER_SILENT_MS) await cutOffLeader(connected, pace.silentMs(), log)
      }
      foundNothing = memory.head().n === before
    } catch (error) {
      if (/^(22|23|42)/.test(sqlState(error) ?? '')) {
        inFlight.rejected()
        // It may have a price of an instrument that was withdrawn a moment ago.
        await deps.reloadInstruments().catch(() => undefined)
      }
      // Otherwise both the lock and the outcome of what was sent are in doubt: query both again.
      connection.drop(connected)
      throw error
    }
  }

  return {
    step,
    leads,
    wake: pace.wake,
    gate,
    async stop() {
      stopped.abort()
      pace.stop()
      await connection.close()
    },
  }
}
