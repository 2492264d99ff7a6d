import type { Retention } from '../../config/retention.ts'
import { removeDeadSessions } from '../../identity/index.ts'
import { eraseOldDocuments, type KycDeps } from '../../kyc/index.ts'
import { noteRetention } from '../../platform/database/retention.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'
import { eraseOldConversations } from '../../support/index.ts'

const POLL_MS = 6 * 3_600_000

/** Deletes what is kept no longer, several times a day. Web nodes do it: they have the files. */
export const startRetention = (kyc: Pick<KycDeps, 'db' | 'files' | 'log'>, periods: Retention): Loop =>
  startLoop('retention', POLL_MS, kyc.log, () => eraseWhatIsOver(kyc, periods))

/** Deletes what is kept no longer. Several nodes may do it at once. */
async function eraseWhatIsOver(kyc: Pick<KycDeps, 'db' | 'files' | 'log'>, periods: Retention): Promise<void> {
  const { db } = kyc
  // The database refuses to delete earlier than the period that is noted.
  for (const [kind, days] of Object.entries(periods)) await noteRetention(db, kind, days)
  const erased = await eraseOldDocuments(kyc, periods.documents)
  if (erased > 0) kyc.log.info({ documents: erased }, 'pictures of documents were deleted: their period is over')
  await eraseOldConversations(db, periods.conversations)
  await removeDeadSessions(db, periods.sign_ins)
}
