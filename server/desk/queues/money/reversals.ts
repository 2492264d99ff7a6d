import { DeskReversal } from '#contract/desk/money/reversals.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { publicId } from '#kernel/id.ts'
import { type Usd, usdToText } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { depositById, isReversedAlready, reverseDeposit } from '../../../cashier/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import { notFound, refuseOwn } from '../../actions/items.ts'
import type { DeskDeps } from '../../deps.ts'
import { dollars } from '../../lists/read.ts'
import { lockUserOf } from '../../users/user-of.ts'
import { person } from '../queue.ts'

interface Reversal {
  deposit_id: bigint
  amount: Usd
  reference: string
}

interface ReversalColumns {
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

/** Reversals of credited deposits: proposed by one finance operator on the deposit. Approving moves the money. */
export const reversals = defineProposal({
  kind: 'reversals',
  of: QUEUES.reversals.of,
  schema: DeskReversal,
  waiting: () => 'A reversal of this deposit is already waiting for a decision.',
  details: {
    insert: (tx, id, reversal: Reversal) =>
      tx
        .insertInto('reversal_proposals')
        .values({ id, ...reversal })
        .execute(),
    read: (tx, id) =>
      tx
        .selectFrom('reversal_proposals')
        .select(['deposit_id', 'amount', 'reference'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
  },
  async lock(tx, { payload }) {
    const { id, email } = await lockUserOf(tx, must(await depositById(tx, payload.deposit_id)).user_id)
    return { email, userId: id }
  },
  async apply({ cashier }, tx, { payload: { deposit_id, amount, reference } }, who) {
    const command = { depositId: deposit_id, amount, reference, operator: person(who) }
    if (!(await reverseDeposit(cashier, tx, command))) throw alreadyReversed()
  },
  facts: ({ payload: { deposit_id, amount, reference } }) => ({
    deposit: publicId(deposit_id),
    amount: usdToText(amount),
    reference,
  }),
  list: {
    columns: sql`v.deposit_id::text, i.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, i.method,
      i.credited, i.reversed, v.amount, v.reference`,
    joins: sql`join reversal_proposals v on v.id = r.id join deposits i on i.id = v.deposit_id join users u on u.id = i.user_id`,
    user: 'i.user_id',
    amount: sql`v.amount`,
  },
  view: (row: ReversalColumns) => ({
    deposit_id: publicId(BigInt(row.deposit_id)),
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    method: row.method,
    credited: dollars(row.credited),
    reversed: dollars(row.reversed),
    amount: dollars(row.amount),
    reference: row.reference,
  }),
})

/**
 * Proposes reversing a credited deposit; no money moves. Throws `not_found`, `own_item`, and `wrong_state` for more
 * than is left, a reference that was already used, or while another proposal is pending.
 */
export const proposeReversal = (
  deps: DeskDeps,
  who: WhoOperates,
  depositId: bigint,
  { amount, reference, reason }: { amount: Usd; reference: string; reason: string },
) =>
  reversals.propose(deps, who, async (tx) => {
    const seen = await depositById(tx, depositId)
    if (!seen) throw notFound()
    const user = await lockUserOf(tx, seen.user_id)
    refuseOwn(who, user.email)
    const deposit = must(await depositById(tx, depositId))
    if (deposit.status !== 'Approved') throw new Problem('wrong_state', 'You can reverse only a credited deposit.')
    if (amount > (deposit.credited ?? 0n) - deposit.reversed)
      throw new Problem('wrong_state', "You can't reverse more than was credited.")
    if (await isReversedAlready(tx, reference)) throw alreadyReversed()
    const payload = { deposit_id: depositId, amount, reference }
    return { subject: String(depositId), payload, reason, userId: user.id }
  })

const alreadyReversed = () => new Problem('wrong_state', 'This payment reference has already been reversed.')
