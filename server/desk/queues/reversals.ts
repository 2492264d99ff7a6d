import type { DeskReversal } from '#contract/desk/reversals.ts'
import { Problem } from '#contract/problem.ts'
import { parsePublicId, publicId } from '#kernel/id.ts'
import { type Usd, usd, usdToText } from '#kernel/money.ts'
import { depositById, isReversedAlready, reverseDeposit } from '../../cashier/index.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, notFound, numberOf, parseNumber, type QueueFilter, refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { dollars, inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'
import { lockUserOf } from '../users/user-of.ts'

export interface ReversalRow {
  id: string
  deposit_id: string
  user_id: string
  email: string
  name: string
  method: DeskReversal['method']
  credited: number
  reversed: number
  amount: number
  reference: string
  reason: string
  status: DeskReversal['status']
  proposer: string
  proposer_email: string
  proposed_at: string
  decider: string | null
  decider_email: string | null
  decided_at: string | null
  decision_reason: string | null
}

/** Selects pending and decided reversals, newest first. */
export const reversalRows = (filter: QueueFilter, page: Page): List<ReversalRow> => sql`
  select r.id::text, r.deposit_id::text, i.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, i.method,
    i.credited, i.reversed, r.amount, r.reference, r.reason, r.status, p.id::text as proposer, p.email as proposer_email,
    r.proposed_at, d.id::text as decider, d.email as decider_email, r.decided_at, r.decision_reason
  from reversal_proposals r join deposits i on i.id = r.deposit_id join users u on u.id = i.user_id
    join operators p on p.id = r.proposed_by left join operators d on d.id = r.decided_by
  where ${where(
    filter.status !== undefined && sql`r.status = ${sql.lit(filter.status)}`,
    !!filter.user && sql`i.user_id = ${parseNumber(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`r.id = ${filter.id}`,
    isAfter('r.id', page),
  )}
  ${inOrder('r.id', page)}`

export const toDeskReversal = (who: WhoOperates, row: ReversalRow): DeskReversal => ({
  id: row.id,
  deposit_id: publicId(BigInt(row.deposit_id)),
  user_id: row.user_id,
  email: row.email,
  name: row.name,
  method: row.method,
  credited: dollars(row.credited),
  reversed: dollars(row.reversed),
  amount: dollars(row.amount),
  reference: row.reference,
  reason: row.reason,
  status: row.status,
  proposed_by: { operator_id: row.proposer, email: row.proposer_email },
  created_at: isoOf(row.proposed_at),
  decided_by: row.decider === null ? null : { operator_id: row.decider, email: row.decider_email! },
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
  ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
  own: row.proposer === String(who.operatorId) || isOwn(who, row.email),
})

/** Lists pending and decided reversals, newest first. */
export const reversals = async (
  db: Db | Tx,
  who: WhoOperates,
  filter: QueueFilter,
  page: Page,
): Promise<DeskReversal[]> => (await readList(db, reversalRows(filter, page))).map((row) => toDeskReversal(who, row))

/**
 * Proposes reversing a credited deposit; no money moves. Throws `not_found`, `own_item`, and `wrong_state` for more
 * than is left, a reference that was already used, or while another proposal is pending.
 */
export function proposeReversal(
  db: Db,
  who: WhoOperates,
  uncheckedDeposit: string,
  { amount, reference, reason }: { amount: Usd; reference: string; reason: string },
): Promise<DeskReversal> {
  return audited(db, who, async (tx) => {
    const depositId = parsePublicId(uncheckedDeposit)
    const seen = depositId === undefined ? undefined : await depositById(tx, depositId)
    if (depositId === undefined || !seen) throw notFound()
    const user = await lockUserOf(tx, String(seen.user_id))
    refuseOwn(who, user.email)
    const deposit = (await depositById(tx, depositId))!
    if (deposit.status !== 'Approved') throw new Problem('wrong_state', 'You can reverse only a credited deposit.')
    if (amount > (deposit.credited ?? 0n) - deposit.reversed)
      throw new Problem('wrong_state', "You can't reverse more than was credited.")
    if (await isReversedAlready(tx, reference))
      throw new Problem('wrong_state', 'This payment reference has already been reversed.')
    const waiting = await tx
      .selectFrom('reversal_proposals')
      .select('id')
      .where('deposit_id', '=', depositId)
      .where('status', '=', 'Pending')
      .executeTakeFirst()
    if (waiting) throw new Problem('wrong_state', 'A reversal of this deposit is already waiting for a decision.')
    const { id } = await tx
      .insertInto('reversal_proposals')
      .values({ deposit_id: depositId, amount, reference, reason: reason.toWellFormed(), proposed_by: who.operatorId })
      .returning('id')
      .executeTakeFirstOrThrow()
    return {
      answer: await one(tx, who, id),
      deed: {
        action: 'propose',
        item: { kind: 'reversals', id: String(id) },
        userId: user.id,
        after: { status: 'Pending', deposit: uncheckedDeposit, amount: usdToText(amount), reference },
        why: reason,
      },
    }
  })
}

/**
 * Approves a reversal proposed by another operator and moves the money. Throws `not_found`, `own_item`,
 * `second_person_required`, `wrong_state`.
 */
export const approveReversal = (deps: DeskDeps, who: WhoOperates, id: string): Promise<DeskReversal> =>
  decide(deps, who, id, 'Approved')

/** Rejects a reversal, with a reason. Throws as `approveReversal`. */
export const rejectReversal = (deps: DeskDeps, who: WhoOperates, id: string, reason: string): Promise<DeskReversal> =>
  decide(deps, who, id, 'Rejected', reason)

function decide(
  deps: Pick<DeskDeps, 'db' | 'cashier'>,
  who: WhoOperates,
  unchecked: string,
  status: 'Approved' | 'Rejected',
  reason?: string,
): Promise<DeskReversal> {
  return audited(deps.db, who, async (tx) => {
    const id = numberOf(unchecked)
    const find = () => tx.selectFrom('reversal_proposals').selectAll().where('id', '=', id).executeTakeFirst()
    const seen = await find()
    const deposit = seen && (await depositById(tx, seen.deposit_id))
    if (!deposit) throw notFound()
    // Lock the user's row first, then read the proposal again under it.
    const user = await lockUserOf(tx, String(deposit.user_id))
    const proposal = (await find())!
    refuseOwn(who, user.email)
    if (proposal.status !== 'Pending') throw new Problem('wrong_state', 'This reversal has already been decided.')
    if (proposal.proposed_by === who.operatorId)
      throw new Problem('second_person_required', 'You proposed this. Ask another operator to decide.')
    await tx
      .updateTable('reversal_proposals')
      .set({
        status,
        decided_by: who.operatorId,
        decided_at: sql<Date>`clock_timestamp()`,
        decision_reason: reason?.toWellFormed() ?? null,
      })
      .where('id', '=', id)
      .execute()
    const amount = usd(proposal.amount)
    const done =
      status === 'Approved'
        ? await reverseDeposit(deps.cashier, tx, {
            depositId: proposal.deposit_id,
            amount,
            reference: proposal.reference,
            operator: { id: who.operatorId, email: who.email },
          })
        : undefined
    if (status === 'Approved' && !done)
      throw new Problem('wrong_state', 'This payment reference has already been reversed.')
    return {
      answer: await one(tx, who, id),
      deed: {
        action: status === 'Approved' ? 'approve' : 'reject',
        item: { kind: 'reversals', id: unchecked },
        userId: user.id,
        before: { status: 'Pending' },
        after: {
          status,
          deposit: publicId(proposal.deposit_id),
          amount: usdToText(amount),
          reference: proposal.reference,
        },
        why: reason ?? proposal.reason,
      },
    }
  })
}

async function one(tx: Tx, who: WhoOperates, id: bigint): Promise<DeskReversal> {
  const [row] = await reversals(tx, who, { id }, { after: undefined, limit: 1 })
  return row!
}
