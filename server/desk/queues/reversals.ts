import { DeskReversal, type reversalCalls } from '#contract/desk/reversals.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { publicId } from '#kernel/id.ts'
import { type Usd, usdToText } from '#kernel/money.ts'
import { depositById, isReversedAlready, reverseDeposit } from '../../cashier/index.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, notFound, refuseOwn } from '../actions/items.ts'
import {
  decided,
  lockWithOwner,
  type Proposal,
  type ProposalColumns,
  type ProposalKind,
  proposalColumns,
  proposalFields,
  proposalJoins,
  proposed,
} from '../actions/proposals.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { dollars, filtered, inOrder, type List, type Page, type QueueFilter } from '../lists/read.ts'
import { lockUserOf } from '../users/user-of.ts'
import { oneOf, type Proposed, person } from './queue.ts'

interface ReversalRow extends ProposalColumns {
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
}

/** Selects pending and decided reversals, newest first. */
const reversalRows = (filter: QueueFilter, page: Page): List<ReversalRow> => sql`
  select r.id::text, r.deposit_id::text, i.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, i.method,
    i.credited, i.reversed, r.amount, r.reference, ${proposalColumns('r')}
  from reversal_proposals r join deposits i on i.id = r.deposit_id join users u on u.id = i.user_id ${proposalJoins('r')}
  where ${filtered('r', filter, page, 'i.user_id')}
  ${inOrder('r.id', page)}`

interface Reversal extends Proposal {
  user_id: bigint
  deposit_id: bigint
  amount: Usd
  reference: string
}

/** Reversals of credited deposits: proposed by one finance operator on the deposit, decided by another. */
export const reversals: Proposed<'reversals', keyof typeof reversalCalls, ReversalRow, Reversal> = {
  name: 'reversals',
  schema: DeskReversal,
  pending: sql`select id, proposed_at, amount from reversal_proposals where status = 'Pending'`,
  rows: reversalRows,
  view: (row, who) => ({
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
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId) || isOwn(who, row.email),
  }),
  kind: reversalKind,
}

/** Approving moves the money. */
function reversalKind(deps: DeskDeps): ProposalKind<Reversal, DeskReversal> {
  return {
    name: 'reversals',
    of: QUEUES.reversals.of,
    lock: (tx, id) => lockWithOwner(tx, () => findReversal(tx, id)),
    store: (tx, { id }, decision, who) =>
      tx.updateTable('reversal_proposals').set(decided(decision, who)).where('id', '=', id).execute(),
    async carryOut(tx, { deposit_id, amount, reference }, who) {
      const command = { depositId: deposit_id, amount, reference, operator: person(who) }
      if (!(await reverseDeposit(deps.cashier, tx, command))) throw alreadyReversed()
      return undefined
    },
    facts: ({ deposit_id, amount, reference }) => ({
      deposit: publicId(deposit_id),
      amount: usdToText(amount),
      reference,
    }),
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, reversals, who, id))!,
  }
}

async function findReversal(tx: Tx, id: bigint): Promise<Reversal | undefined> {
  const row = await tx.selectFrom('reversal_proposals').selectAll().where('id', '=', id).executeTakeFirst()
  const deposit = row && (await depositById(tx, row.deposit_id))
  return deposit && { ...row, user_id: deposit.user_id }
}

/**
 * Proposes reversing a credited deposit; no money moves. Throws `not_found`, `own_item`, and `wrong_state` for more
 * than is left, a reference that was already used, or while another proposal is pending.
 */
export function proposeReversal(
  deps: DeskDeps,
  who: WhoOperates,
  depositId: bigint,
  { amount, reference, reason }: { amount: Usd; reference: string; reason: string },
): Promise<DeskReversal> {
  return audited(deps.db, who, async (tx) => {
    const seen = await depositById(tx, depositId)
    if (!seen) throw notFound()
    const user = await lockUserOf(tx, seen.user_id)
    refuseOwn(who, user.email)
    const deposit = (await depositById(tx, depositId))!
    if (deposit.status !== 'Approved') throw new Problem('wrong_state', 'You can reverse only a credited deposit.')
    if (amount > (deposit.credited ?? 0n) - deposit.reversed)
      throw new Problem('wrong_state', "You can't reverse more than was credited.")
    if (await isReversedAlready(tx, reference)) throw alreadyReversed()
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
    return proposed(tx, who, reversalKind(deps), id, {
      userId: user.id,
      after: { status: 'Pending', deposit: publicId(depositId), amount: usdToText(amount), reference },
      why: reason,
    })
  })
}

const alreadyReversed = () => new Problem('wrong_state', 'This payment reference has already been reversed.')
