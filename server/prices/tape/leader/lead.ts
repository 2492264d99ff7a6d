import type pg from 'pg'
import { first } from '#kernel/must.ts'
import type { Clock } from '../../../platform/process/clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Entry } from '../frames/frame.ts'
import type { Gate } from '../gate.ts'
import type { Memory } from '../memory/memory.ts'
import { readHead } from '../store.ts'
import { beginEpoch } from './epoch.ts'
import { type Follower, LEADER_LOCK, type ShownFrame } from './follow.ts'
import type { InFlight } from './in-flight.ts'
import type { MadeFrame } from './next-frame.ts'
import type { TapeConnection } from './tape-connection.ts'

/** Writes the tape while this node leads. */
interface FrameWriter {
  /** Takes the lead if no other node has it. */
  takeLead(connected: pg.Client): Promise<void>
  /** Writes a frame if one is due. */
  lead(connected: pg.Client): Promise<void>
}

export function createFrameWriter(deps: {
  connection: TapeConnection
  follower: Follower
  inFlight: InFlight
  memory: Memory
  gate: Gate
  clock: Clock
  log: Log
  newEpoch: boolean
  nextFrame(): MadeFrame | undefined
  show(frame: ShownFrame, entries: readonly Entry[]): void
}): FrameWriter {
  const { connection, follower, inFlight, memory, clock, log } = deps
  let { newEpoch } = deps
  return {
    async takeLead(connected) {
      const { rows } = await connected.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
        LEADER_LOCK,
      ])
      if (!first(rows).locked) {
        // The current leader decides; a frame that this node had sent was either written, and comes back as a frame, or
        // is lost.
        inFlight.forget()
        return
      }
      await inFlight.resolve(connected)
      await follower.catchUp(connected)
      const { n, hash } = await readHead(connected)
      if (n !== memory.head().n || !hash.equals(memory.head().hash))
        await follower.reload(connected, 'this node has frames that the database lost in a failover')
      const epoch = await beginEpoch(connected, newEpoch)
      newEpoch = false
      if (epoch !== undefined && epoch > 1) log.warn({ epoch, after: memory.head().n }, 'the tape begins a new epoch')
      deps.gate.clear()
      connection.locked(connected)
      log.info({ n: memory.head().n }, 'this node now writes the tape')
    },
    async lead(connected) {
      const made = deps.nextFrame()
      if (!made) return
      inFlight.sent(made)
      const sentAt = performance.now()
      const { rowCount, rows } = await connected.query<{ now: number }>(made.statement)
      inFlight.forget()
      if (rowCount === 1) {
        clock.takeReading?.(first(rows).now, sentAt)
        return deps.show(made.frame, made.entries)
      }
      log.error({ n: made.frame.n }, 'the tape moved on without this node: stepping down')
      await connected.query('select pg_advisory_unlock($1)', [LEADER_LOCK])
      connection.unlocked()
      await follower.catchUp(connected)
    },
  }
}
