import { type adjustmentCalls, DeskAdjustment } from '#contract/desk/adjustments.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import type { Mode } from '#contract/trading.ts'
import { dollars as dollarsText, negate, smaller, subtract, type Usd, usdToText } from '#kernel/money.ts'
import { lockAccount, type Part, post } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, refuseOwn } from '../actions/items.ts'
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
import { findUserOf } from '../users/user-of.ts'
import { oneOf, type Proposed } from './queue.ts'

export interface AdjustmentRow extends ProposalColumns {
  id: string
  user_id: string
  email: string
  name: string
  mode: Mode
  amount: number
}

/** Selects pending and decided adjustments, newest first. */
export const adjustmentRows = (filter: QueueFilter, page: Page): List<AdjustmentRow> => sql`
  select a.id::text, a.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, a.mode, a.amount,
    ${proposalColumns('a')}
  from adjustments a join users u on u.id = a.user_id ${proposalJoins('a')}
  where ${filtered('a', filter, page)}
  ${inOrder('a.id', page)}`

interface Adjustment extends Proposal {
  user_id: bigint
  mode: Mode
  amount: Usd
}

/** Balance adjustments: proposed by one finance operator on a user's page, decided by another. */
export const adjustments: Proposed<'adjustments', keyof typeof adjustmentCalls, AdjustmentRow, Adjustment> = {
  name: 'adjustments',
  schema: DeskAdjustment,
  pending: sql`select id, proposed_at, abs(amount) from adjustments where status = 'Pending'`,
  rows: adjustmentRows,
  view: (row, who) => ({
    id: row.id,
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    book: row.mode,
    amount: dollars(row.amount),
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId) || isOwn(who, row.email),
  }),
  kind: adjustmentKind,
}

/** Approving moves the money; a credit repays debt first. Throws `insufficient_balance` too. */
function adjustmentKind(deps: DeskDeps): ProposalKind<Adjustment, DeskAdjustment> {
  return {
    name: 'adjustments',
    of: QUEUES.adjustments.of,
    lock: (tx, id) =>
      lockWithOwner(tx, () => tx.selectFrom('adjustments').selectAll().where('id', '=', id).executeTakeFirst()),
    store: (tx, { id }, decision, who) =>
      tx.updateTable('adjustments').set(decided(decision, who)).where('id', '=', id).execute(),
    async carryOut(tx, { id, user_id, mode, amount, reason }) {
      await adjust(deps, tx, { userId: user_id, mode, causeId: id, amount }, reason)
      return undefined
    },
    facts: ({ mode, amount }) => ({ mode, amount: usdToText(amount) }),
    show: async (tx, who, id) => (await oneOf({ ...deps, db: tx }, adjustments, who, id))!,
  }
}

/** Proposes an adjustment; no money moves. Throws `not_found`, `own_item`. */
export function proposeAdjustment(
  deps: DeskDeps,
  who: WhoOperates,
  userId: bigint,
  { mode, amount, reason }: { mode: Mode; amount: Usd; reason: string },
): Promise<DeskAdjustment> {
  return audited(deps.db, who, async (tx) => {
    const user = await findUserOf(tx, userId)
    refuseOwn(who, user.email)
    const { id } = await tx
      .insertInto('adjustments')
      .values({ user_id: user.id, mode, amount, reason: reason.toWellFormed(), proposed_by: who.operatorId })
      .returning('id')
      .executeTakeFirstOrThrow()
    return proposed(tx, who, adjustmentKind(deps), id, {
      userId: user.id,
      after: { status: 'Pending', mode, amount: usdToText(amount) },
      why: reason,
    })
  })
}

/**
 * Credits a trader by the ruling of two operators about a complaint: an adjustment that one proposed and the other
 * approves. Returns its id. The audit row is the ruling's.
 */
export async function adjustByRuling(
  deps: Pick<DeskDeps, 'notices' | 'balances'>,
  tx: Tx,
  who: WhoOperates,
  { userId, amount, proposedBy, reason }: { userId: bigint; amount: Usd; proposedBy: bigint; reason: string },
): Promise<bigint> {
  const { id } = await tx
    .insertInto('adjustments')
    .values({ user_id: userId, mode: 'real', amount, reason, proposed_by: proposedBy })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('adjustments')
    .set(decided({ status: 'Approved' }, who))
    .where('id', '=', id)
    .execute()
  await adjust(deps, tx, { userId, mode: 'real', causeId: id, amount }, reason)
  return id
}

async function adjust(
  deps: Pick<DeskDeps, 'notices' | 'balances'>,
  tx: Tx,
  move: { userId: bigint; mode: Mode; causeId: bigint; amount: Usd },
  reason: string,
): Promise<void> {
  const { userId, mode, causeId, amount } = move
  const { owed } = await lockAccount(tx, userId, mode)
  await post(tx, { userId, mode, cause: 'adjust', causeId, parts: partsOf(amount, owed) })
  const up = amount > 0n
  const size = dollarsText(up ? amount : negate(amount))
  deps.balances.afterCommit(tx, userId)
  await deps.notices.write(tx, {
    userId,
    kind: 'account',
    title: up ? `${size} was added to your ${mode} account` : `${size} was taken from your ${mode} account`,
    text: `An operator corrected your balance. Reason: ${reason}`,
    path: '/user/home',
  })
}

/** Splits an adjustment into parts. A credit repays debt (`owed`, 0 or below) first. */
export function partsOf(amount: Usd, owed: Usd): Part[] {
  if (amount < 0n) return [{ debit: 'balance', credit: 'house', amount: negate(amount) }]
  const debt = smaller(negate(owed), amount)
  return [
    { debit: 'house', credit: 'owed', amount: debt },
    { debit: 'house', credit: 'balance', amount: subtract(amount, debt) },
  ]
}

/** Returns the reasons of a user's adjustments, for statements. */
export async function adjustmentReasons(db: Db, userId: bigint, ids: readonly bigint[]): Promise<Map<bigint, string>> {
  const rows = await db
    .selectFrom('adjustments')
    .select(['id', 'reason'])
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}
