import type { Database, Db } from './db.ts'
import { recentWrites } from './recent-writes.ts'
import type { Standby } from './standby.ts'

/** Who calls: a trader, an operator, or a visitor (undefined). */
export type Caller = string | undefined
export const traderCaller = (userId: bigint | string): string => `trader ${userId}`
export const operatorCaller = (operatorId: bigint): string => `operator ${operatorId}`

/** The databases that reads go to. With a standby, an answer may be a moment old; what its caller wrote is in it. */
export interface Reads {
  /** Whether there is a standby. */
  hasStandby: boolean
  /**
   * Returns the database for one call whose answer may be a moment old; decides at once. `newest`: the caller asks for
   * the newest, or has just written on another node.
   */
  choose(call: { caller: Caller; forDesk: boolean; newest: boolean }): Db
  /** This caller may have committed something until now. */
  wrote(caller: string): void
  /** Anyone may have: messages of other nodes were missed. */
  missed(): void
  /** Reads by where they went, since the start. */
  counts(): { standby: number; primary: number }
  stop(): Promise<void>
}

/** Sends each read to the standby if it has all that the caller must see, and otherwise to the primary. */
export function openReads(primary: { db: Database; lists: Database }, standby: Standby | undefined): Reads {
  const writes = recentWrites()
  const counts = { standby: 0, primary: 0 }

  function chosen(caller: Caller, newest: boolean) {
    if (!standby) return undefined
    standby.wanted()
    const found = standby.usable()
    if (!found) return undefined
    writes.forget(found.covered)
    return !newest && writes.isCovered(caller, found.covered) ? found : undefined
  }

  return {
    hasStandby: standby !== undefined,
    choose({ caller, forDesk, newest }) {
      const found = chosen(caller, newest)
      counts[found ? 'standby' : 'primary']++
      if (found) return forDesk ? found.lists : found.db
      return forDesk ? primary.lists.db : primary.db.db
    },
    wrote(caller) {
      if (standby) writes.mark(caller, performance.now())
    },
    missed() {
      writes.markAll(performance.now())
    },
    counts: () => counts,
    async stop() {
      await standby?.stop()
    },
  }
}
