import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms } from '#kernel/time.ts'
import { sql } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { type CompactDeps, dropOldBodies, packClosedMinutes, pruneTicks } from './compact.ts'
import { makeHistory } from './history.ts'
import { unitsAt } from './older.ts'

/** Periodic maintenance of the tape: simulated history, packing, pruning, the prices of a day ago. */
export interface Housekeeping {
  /** Runs whatever is due. */
  round(): Promise<void>
  /** A symbol had its first tick: its history can now be generated to end at it. */
  firstTick(): void
  simulatedUntil(slot: number): Ms | undefined
  unitsDayAgo(slot: number): number | undefined
}

export function createHousekeeping(
  deps: CompactDeps & {
    log: Log
    headT(): Ms
    now(): Ms
    /** Only the node that writes the tape packs it. */
    leads(): boolean
    /** Whether simulated history may replace yesterday's prices: only if all prices are simulated. */
    simulated: boolean
    stop: AbortSignal
  },
): Housekeeping {
  const { db, instruments } = deps
  let historyDue = true
  let dayAgoAt = 0
  // Drop nothing right after a start: the rooms that report what they need may not all be open yet.
  let droppedAt: Ms | undefined
  const until = new Map<number, Ms>()
  let dayAgo = new Map<number, number>()

  async function history(): Promise<void> {
    historyDue = false
    try {
      await makeHistory(db, instruments, deps.now())
      const { rows } = await sql<{ symbol_id: number; until: bigint }>`
        select symbol_id, until from simulated_history`.execute(db)
      for (const row of rows) {
        const slot = instruments.slotOf(instruments.byId(row.symbol_id)?.symbol ?? '')
        if (slot !== undefined) until.set(slot, Number(row.until))
      }
    } catch (error) {
      historyDue = true
      throw error
    }
  }

  return {
    async round() {
      const now = deps.now()
      if (historyDue) await history()
      if (now - dayAgoAt >= MINUTE_MS) {
        dayAgo = await unitsAt(db, instruments, now - DAY_MS, deps.simulated)
        dayAgoAt = now
      }
      if (!deps.leads()) return
      const packed = await packClosedMinutes(deps, deps.headT(), deps.stop)
      if (packed > 0) await pruneTicks(deps, deps.headT())
      droppedAt ??= now
      if (now - droppedAt >= HOUR_MS) {
        const dropped = await dropOldBodies(deps, deps.headT())
        if (dropped > 0) deps.log.info({ dropped }, 'dropped the bodies of expired minutes')
        droppedAt = now
      }
    },
    firstTick() {
      historyDue = true
    },
    simulatedUntil: (slot) => until.get(slot),
    unitsDayAgo: (slot) => dayAgo.get(slot),
  }
}
