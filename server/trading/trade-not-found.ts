import { Problem } from '#contract/problem.ts'
import { idFloor } from '#kernel/id.ts'
import { archivedBefore } from '../ledger/index.ts'
import type { Db, Snapshot } from '../platform/database/db.ts'

/** Returns the error for a trade that isn't found: it never existed, belongs to someone else, or may be archived. */
export async function tradeNotFound(db: Db | Snapshot, tradeId: bigint): Promise<Problem> {
  const day = await archivedBefore(db)
  const mayBeArchived = day !== undefined && tradeId <= idFloor(Date.parse(day))
  return new Problem(
    'not_found',
    mayBeArchived
      ? `Trade not found. Trades before ${day} may be archived: contact us for their records.`
      : 'Trade not found.',
  )
}
