import { Problem } from '#contract/problem.ts'
import { idFloor } from '#kernel/id.ts'
import { removedBefore } from '../ledger/index.ts'
import type { Db, Snapshot } from '../platform/database/db.ts'

/** Returns the error for a trade that isn't found: it never existed, belongs to someone else, or may have been removed. */
export async function tradeNotFound(db: Db | Snapshot, tradeId: bigint): Promise<Problem> {
  const { archived, expired } = await removedBefore(db)
  const isBefore = (day: string | null) => day !== null && tradeId <= idFloor(Date.parse(day))
  const why = isBefore(archived)
    ? ` Trades before ${archived} may be archived: contact us for their records.`
    : isBefore(expired)
      ? ` Trades in demo before ${expired} may have expired.`
      : ''
  return new Problem('not_found', `Trade not found.${why}`)
}
