import { fieldProblem, Problem } from '#contract/problem.ts'
import { type ComplaintFinding, type ComplaintTick, FINDINGS } from '#contract/terms.ts'
import type { Usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import { type DecidingTick, hasLostOn, type TradesOnTick, tradesByIds, tradesOn } from '../trading/index.ts'
import type { ComplaintsDeps } from './deps.ts'
import { complaintNews } from './news.ts'
import { COMPLAINT_NEXT } from './state.ts'
import { decideRuling, insertRuling, lockComplaint, pendingRuling } from './store.ts'

/** An operator who acts on a complaint, and the trading accounts with the same address. */
export interface Ruler {
  operatorId: bigint
  userIds: readonly bigint[]
}

interface ProposeRuling {
  complaintId: bigint
  finding: ComplaintFinding
  /** The price that was wrong: the stakes of all trades that it made lose are returned. */
  tick?: ComplaintTick | undefined
  /** What is credited for a deposit or withdrawal. */
  credit?: Usd | undefined
  reason: string
}

const notFound = () => new Problem('not_found', 'Item not found.')

/** Returns a trade's entry or exit price on the tape. Throws `wrong_state` if it has none. */
async function tickOf(db: Db | Tx, tradeId: bigint, tick: ComplaintTick): Promise<DecidingTick> {
  const [trade] = await tradesByIds(db, [tradeId])
  if (!trade) throw notFound()
  const [seq, at] = tick === 'entry' ? [trade.entry_seq, trade.entry_time] : [trade.exit_seq, trade.exit_time]
  if (seq === null || at === null)
    throw new Problem('wrong_state', `This trade has no ${tick} price. Its stake was returned.`)
  return { symbolId: trade.symbol_id, seq, at: Number(at) }
}

/** Returns the trades that the entry or exit price of a trade decided. Throws `wrong_state` if it has none. */
export const previewRemedy = async (db: Db, tradeId: bigint, tick: ComplaintTick): Promise<TradesOnTick> =>
  tradesOn(db, await tickOf(db, tradeId, tick))

/** Rejects a ruling that can't be carried out now, or from which the operator would gain. */
async function checkTick(tx: Tx, tick: DecidingTick, { userIds }: Ruler): Promise<TradesOnTick> {
  const on = await tradesOn(tx, tick)
  if (on.open > 0)
    throw new Problem(
      'wrong_state',
      on.open === 1
        ? '1 open trade may still use this price. Void it or wait until it settles.'
        : `${on.open} open trades may still use this price. Void them or wait until they settle.`,
    )
  if (on.lost === 0)
    throw new Problem('wrong_state', 'No trade lost money on this price. Uphold the complaint without a remedy.')
  if (await hasLostOn(tx, tick, userIds))
    throw new Problem('own_item', 'You lost a trade on this price yourself. Ask another operator.')
  return on
}

/**
 * Proposes a ruling about an open complaint whose records were checked. No money moves. Throws `not_found`, `wrong_state`,
 * `own_item` and `validation_failed`.
 */
export async function proposeRuling(tx: Tx, ruler: Ruler, proposal: ProposeRuling): Promise<object> {
  const { complaintId, finding, tick, credit, reason } = proposal
  const complaint = await lockComplaint(tx, complaintId)
  if (!complaint) throw notFound()
  if (!COMPLAINT_NEXT[complaint.status].includes('Proposed'))
    throw new Problem('wrong_state', 'A ruling about this complaint has already been proposed or decided.')
  if (complaint.checked_at === null)
    throw new Problem('wrong_state', 'The records are still being checked. Try again in a minute.')
  const { upheld, items } = FINDINGS[finding]
  if (!items.includes(complaint.item)) throw fieldProblem('finding', "doesn't apply to this complaint")
  if (tick && (!upheld || complaint.item !== 'trade')) throw fieldProblem('tick', "doesn't apply to this ruling")
  if (credit && (!upheld || complaint.item === 'trade')) throw fieldProblem('credit', "doesn't apply to this ruling")
  const wrong = tick && (await tickOf(tx, complaint.item_id, tick))
  const on = wrong && (await checkTick(tx, wrong, ruler))
  await insertRuling(
    tx,
    {
      complaint_id: complaintId,
      upheld,
      finding,
      remedy: tick ? 'tick' : credit ? 'credit' : 'none',
      tick: tick ?? null,
      symbol_id: wrong?.symbolId ?? null,
      tick_seq: wrong?.seq ?? null,
      tick_time: wrong === undefined ? null : BigInt(wrong.at),
      trades: on?.lost ?? null,
      total: on?.total ?? null,
      credit: credit ?? null,
    },
    { reason, operatorId: ruler.operatorId },
  )
  await tx.updateTable('complaints').set({ status: 'Proposed' }).where('id', '=', complaintId).execute()
  return {
    finding,
    ...(tick ? { tick, trades: must(on).lost, total: String(must(on).total) } : {}),
    ...(credit ? { credit: String(credit) } : {}),
  }
}

/** Locks a complaint with its pending ruling. Throws `not_found`, `wrong_state`. */
async function lockProposed(tx: Tx, complaintId: bigint) {
  const complaint = await lockComplaint(tx, complaintId)
  if (!complaint) throw notFound()
  const ruling = complaint.status === 'Proposed' ? await pendingRuling(tx, complaintId) : undefined
  if (!ruling) throw new Problem('wrong_state', 'No ruling about this complaint is proposed.')
  return { complaint, ruling }
}

/**
 * Approves the proposed ruling of another operator, which closes the complaint. `credit` writes the adjustment that
 * credits an amount, and returns its id; stakes are returned by `startComplaintWork`. Throws `not_found`, `wrong_state`,
 * `own_item`, `second_person_required`.
 */
export async function approveRuling(
  deps: Pick<ComplaintsDeps, 'notices' | 'wake'>,
  tx: Tx,
  ruler: Ruler,
  complaintId: bigint,
  credit: (adjustment: {
    userId: bigint
    amount: Usd
    proposedBy: bigint
    finding: ComplaintFinding
  }) => Promise<bigint>,
): Promise<object> {
  const { complaint, ruling } = await lockProposed(tx, complaintId)
  if (ruling.proposed_by === ruler.operatorId)
    throw new Problem('second_person_required', "You can't decide your own proposal. Ask another operator.")
  if (ruling.remedy === 'tick') {
    const tick = { symbolId: must(ruling.symbol_id), seq: must(ruling.tick_seq), at: Number(ruling.tick_time) }
    const on = await checkTick(tx, tick, ruler)
    if (on.lost !== ruling.trades || on.total !== ruling.total)
      throw new Problem(
        'wrong_state',
        'The trades on this price have changed. Send the ruling back and propose it again.',
      )
  }
  await decideRuling(tx, ruling.id, { status: 'Approved' }, ruler.operatorId)
  const adjustmentId =
    ruling.credit === null
      ? null
      : await credit({
          userId: complaint.user_id,
          amount: ruling.credit,
          proposedBy: ruling.proposed_by,
          finding: ruling.finding,
        })
  await tx
    .updateTable('complaint_rulings')
    .set({
      approved_at: sql<Date>`clock_timestamp()`,
      adjustment_id: adjustmentId,
      // Stakes are returned after the commit, in batches.
      paid_at: ruling.remedy === 'tick' ? null : sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', ruling.id)
    .execute()
  const status = ruling.upheld ? 'Upheld' : 'Rejected'
  await tx
    .updateTable('complaints')
    .set({ status, closed_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', complaintId)
    .execute()
  await deps.notices.write(
    tx,
    complaintNews.ruled(complaint, { finding: ruling.finding, returns: ruling.remedy !== 'none' }),
  )
  tx.afterCommit(deps.wake)
  return { status, finding: ruling.finding, remedy: ruling.remedy }
}

/** Sends a proposed ruling back: the complaint is open again. Its proposer can do this too. Throws `wrong_state`. */
export async function sendBackRuling(
  tx: Tx,
  { operatorId }: Ruler,
  complaintId: bigint,
  reason: string,
): Promise<object> {
  const { ruling } = await lockProposed(tx, complaintId)
  await decideRuling(tx, ruling.id, { status: 'Withdrawn', reason }, operatorId)
  await tx.updateTable('complaints').set({ status: 'Open' }).where('id', '=', complaintId).execute()
  return { status: 'Open', finding: ruling.finding }
}
