import { Problem } from '#contract/problem.ts'
import type { ComplaintReason } from '#contract/terms.ts'
import type { Complaint } from '#contract/trading/complaints.ts'
import { must } from '#kernel/must.ts'
import { lockAccountById } from '../identity/index.ts'
import { inTransaction } from '../platform/database/db.ts'
import type { ComplaintsDeps } from './deps.ts'
import { type About, refusal } from './items.ts'
import { complaintNews } from './news.ts'
import { newestAbout } from './store.ts'
import { toComplaints } from './view.ts'

interface FileComplaint extends About {
  userId: bigint
  reason: ComplaintReason
  text: string
}

/**
 * Files a complaint; the records are checked right afterwards (`startComplaintWork`). While one about the item is open,
 * returns that one, so filing twice files once. Throws `not_found`, `wrong_state`, `limit_reached`.
 */
export async function fileComplaint(deps: ComplaintsDeps, command: FileComplaint): Promise<Complaint> {
  const { userId, item, itemId, reason, text } = command
  return inTransaction(deps.db, async (tx) => {
    if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
    const known = await newestAbout(tx, userId, command)
    if (!known || known.closed_at !== null) {
      const refused = await refusal(tx, userId, command, deps.clock.now())
      if (refused) throw refused
      const row = await tx
        .insertInto('complaints')
        .values({ user_id: userId, item, item_id: itemId, reason, text: text.toWellFormed() })
        .returning(['user_id', 'item', 'item_id', 'due_at'])
        .executeTakeFirstOrThrow()
      await deps.notices.write(tx, complaintNews.filed(row))
      tx.afterCommit(deps.wake)
    }
    const row = must(await newestAbout(tx, userId, command))
    return must((await toComplaints(tx, [row])).get(row.id))
  })
}
