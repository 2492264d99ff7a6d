import type pg from 'pg'
import { sqlState } from '../../../platform/database/db.ts'
import type { Clock } from '../../../platform/process/clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Instruments } from '../../instruments/instruments.ts'
import { decodeBody, type Entry, type Frame, frameHash } from '../frames/frame.ts'
import { loadMemory } from '../load.ts'
import type { Memory } from '../memory/memory.ts'
import { readFramesAfter } from '../store.ts'

/** Held by the one node that writes the tape; PostgreSQL releases it when that node's connection ends. */
export const LEADER_LOCK = 7_301
const CATCH_UP_AT_ONCE = 500

/** A frame that is on the tape. */
export type ShownFrame = Pick<Frame, 'n' | 't' | 'hash'>

/** Takes over what other nodes have written. */
export interface Follower {
  /** Reads the frames that other nodes have written. */
  catchUp(connected: pg.Client): Promise<void>
  /** The database is right: a standby that was promoted may lack what its primary had not sent to it yet. */
  reload(connected: pg.Client, why: string): Promise<void>
}

export function createFollower(deps: {
  instruments: Instruments
  memory: Memory
  clock: Clock
  log: Log
  /** Reads the instruments again: another node has one that this node doesn't know. */
  reloadInstruments(): Promise<void>
  show(frame: ShownFrame, entries: readonly Entry[]): void
}): Follower {
  const { instruments, memory, clock, log } = deps

  async function catchUp(connected: pg.Client): Promise<void> {
    for (;;) {
      const { n } = memory.head()
      const sentAt = performance.now()
      const frames = await readFramesAfter(connected, n, CATCH_UP_AT_ONCE)
      if (frames[0]) clock.takeReading?.(frames[0].now, sentAt)
      for (const { body, now: _, ...frame } of frames) {
        const head = memory.head()
        if (frame.n !== head.n + 1) {
          await reload(connected, 'this node was away too long')
          break
        }
        if (!frameHash(head.hash, frame.n, frame.t, body).equals(frame.hash)) {
          await reload(connected, `frame ${frame.n} does not follow from the frame before it`)
          break
        }
        const entries = decodeBody(frame.t, body)
        if (entries.some(({ symbol }) => instruments.slotOf(symbol) === undefined)) await deps.reloadInstruments()
        deps.show(frame, entries)
      }
      if (frames.length < CATCH_UP_AT_ONCE) return
    }
  }

  async function reload(connected: pg.Client, why: string): Promise<void> {
    log.warn({ have: memory.head().n, why }, 'reading the tape again')
    await loadMemory(connected, instruments, memory)
  }

  return { catchUp, reload }
}

/**
 * Ends the leader's session, unless it's PostgreSQL that waits, for a synchronous standby: no other node could write
 * either, and ending that wait would show everyone a frame that a failover loses.
 */
export async function cutOffLeader(connected: pg.Client, silentMs: number, log: Log): Promise<void> {
  const silent = Math.round(silentMs)
  try {
    const { rowCount } = await connected.query(
      `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1 and granted
         and database = (select oid from pg_database where datname = current_database())
         and wait_event is distinct from 'SyncRep'`,
      [LEADER_LOCK],
    )
    if (rowCount) log.warn({ silentMs: silent }, 'the leader is silent: taking over the tape')
  } catch (error) {
    if (sqlState(error) !== '42501') throw error
    throw new Error('The leader is silent, and only its own login may end its session: give all nodes the same login.')
  }
}
