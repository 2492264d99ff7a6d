import { DAY_MS, HOUR_MS, MINUTE_MS, type Ms } from '#kernel/time.ts'
import { sql } from '#server/platform/db.ts'
import type { Log } from '#server/platform/log.ts'
import { type CompactDeps, dropOldBodies, packClosedMinutes, pruneTicks } from './compact.ts'
import { makeHistory } from './history.ts'
import { unitsAt } from './older.ts'

/** What is done beside the tape, now and then: made-up history, packing, pruning, the prices of a day ago. */
export interface Housekeeping {
  /** One round of whatever is due. */
  round(): Promise<void>
  /** A symbol had its first tick: its history can now be made to end at it. */
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
    /** Whether made-up history may stand in for yesterday's prices: only where all prices are simulated. */
    simulated: boolean
    stop: AbortSignal
  },
): Housekeeping {
  const { db, instruments } = deps
  let historyDue = true
  let dayAgoAt = 0
  // Nothing is dropped right after a start, when the rooms that say what they need are not all open yet.
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
        if (dropped > 0) deps.log.info({ dropped }, 'bodies of old minutes of the tape were dropped')
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
