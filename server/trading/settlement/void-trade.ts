import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import { modeOf, post, userOf } from '../../ledger/index.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import { tapeTime } from '../../prices/index.ts'
import { decideProposal, insertProposal, pendingProposal } from '../../proposals/index.ts'
import { withEntries } from '../store.ts'
import { voidedReason } from '../trade.ts'

/** Proposals to void a trade. The subject is its id. */
const KIND = 'voids'

interface Voiding {
  userId: bigint
  /** Proposed by this operator, or completed, which returns the stake. */
  step: 'proposed' | 'completed'
}

/**
 * Voids a pending trade that has not ended: one operator proposes, another completes, and the stake is returned. The
 * recorded void decides the outcome together with the tape; settlement and this function serialise on the trade's row.
 * Throws `not_found`, `wrong_state` once it is too late, and `second_person_required` for the operator who proposed it.
 */
export async function voidTrade(
  tx: Tx,
  { tradeId, operatorId, reason }: { tradeId: bigint; operatorId: bigint; reason: string },
): Promise<Voiding> {
  const trade = await lockTrade(tx, tradeId)
  if (trade.status !== 'Pending') throw new Problem('wrong_state', 'This trade has already settled.')
  if ((await tapeTime(tx)) >= trade.end_time) throw new Problem('wrong_state', 'This trade has already ended.')
  const proposal = await pendingProposal(tx, KIND, String(tradeId))
  const userId = userOf(trade.account_id)
  if (!proposal) {
    await insertProposal(tx, { kind: KIND, subject: String(tradeId), reason, operatorId })
    return { userId, step: 'proposed' }
  }
  if (proposal.proposed_by === operatorId)
    throw new Problem('second_person_required', 'You proposed this. A second risk operator must complete it.')
  const { entry_price, entry_time, entry_seq } = first(await withEntries(tx, [trade]))
  await decideProposal(tx, { kind: KIND, id: proposal.id }, { status: 'Approved' }, operatorId)
  await tx
    .insertInto('trade_voids')
    .values({ trade_id: tradeId, reason: proposal.reason, entered: entry_seq !== null })
    .execute()
  await tx
    .updateTable('trades')
    .set({
      status: 'Void',
      payout: trade.stake,
      settled_at: sql<Date>`clock_timestamp()`,
      // The first operator's reason, which the second one has read.
      outcome_reason: voidedReason(proposal.reason),
      entry_price,
      entry_time,
      entry_seq,
    })
    .where('id', '=', tradeId)
    .execute()
  await post(tx, {
    userId,
    mode: modeOf(trade.account_id),
    cause: 'trade_settle',
    causeId: tradeId,
    parts: [{ debit: 'escrow', credit: 'balance', amount: trade.stake }],
  })
  return { userId, step: 'completed' }
}

async function lockTrade(tx: Tx, tradeId: bigint) {
  const trade = await tx.selectFrom('trades').selectAll().where('id', '=', tradeId).forNoKeyUpdate().executeTakeFirst()
  if (!trade) throw new Problem('not_found', 'Trade not found.')
  return trade
}
