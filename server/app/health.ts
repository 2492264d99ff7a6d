import { payoutHalt } from '../cashier/index.ts'
import { sql } from '../platform/database/db.ts'
import type { HealthNotes, HealthParts } from '../platform/observe/health.ts'
import type { Base } from './base.ts'
import type { NodeReads } from './reads.ts'

/**
 * Returns what an operator should know although nothing is down: a standby that isn't used costs the primary some work.
 */
export const healthNotes = (reads: NodeReads | undefined): HealthNotes => {
  if (!reads?.standby) return {}
  const problem = reads.standby.problem()
  return { standby: problem === '' ? 'up' : `not used: ${problem}` }
}

/** A connection that is back within this time has cost a second of delay at most. */
const BUS_LOST_MS = 2_000

/** The parts of a node that health names, whatever its roles. */
export function healthParts(base: Base): HealthParts {
  const { db, prices, clock, eventLoop, bus } = base
  return {
    node: async () => (base.isStopping() ? 'is stopping' : ''),
    database: async () => {
      await sql`select 1`.execute(db)
      return ''
    },
    tape: async () => prices.health(),
    clock: async () => (clock.agrees() ? '' : 'clocks differ'),
    payouts: async () => ((await payoutHalt(db)) ? "are halted because the books don't agree" : ''),
    event_loop: async () => (eventLoop.isLate() ? 'event loop is late' : ''),
    bus: async () => {
      const { lostForMs = 0 } = bus.state()
      return lostForMs > BUS_LOST_MS ? `no connection to the other nodes for ${Math.round(lostForMs / 1000)} s` : ''
    },
  }
}
