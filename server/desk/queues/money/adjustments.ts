import { DeskAdjustment } from '#contract/desk/money/adjustments.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { dollars as dollarsText, negate, type Usd, usdToText } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { type Part, post } from '../../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { decideProposal, insertProposal } from '../../../proposals/index.ts'
import { defineProposal } from '../../actions/define-proposal.ts'
import { refuseOwn } from '../../actions/items.ts'
import type { DeskDeps } from '../../deps.ts'
import { dollars } from '../../lists/read.ts'
import { findUserOf, lockUserOf } from '../../users/user-of.ts'

interface Adjustment {
  user_id: bigint
  mode: Mode
  amount: Usd
}

interface AdjustmentColumns {
  user_id: string
  email: string
  name: string
  mode: Mode
  amount: number
}

const details = {
  insert: (tx: Tx, id: bigint, adjustment: Adjustment) =>
    tx
      .insertInto('adjustments')
      .values({ id, ...adjustment })
      .execute(),
  read: (tx: Tx, id: bigint): Promise<Adjustment> =>
    tx.selectFrom('adjustments').select(['user_id', 'mode', 'amount']).where('id', '=', id).executeTakeFirstOrThrow(),
}

/**
 * Balance adjustments: proposed by one finance operator on a user's page. Approving moves the money; a credit repays
 * debt first. Throws `insufficient_balance` too.
 */
export const adjustments = defineProposal({
  kind: 'adjustments',
  of: QUEUES.adjustments.of,
  schema: DeskAdjustment,
  details,
  async lock(tx, { payload }) {
    const { id, email } = await lockUserOf(tx, payload.user_id)
    return { email, userId: id }
  },
  apply: (deps, tx, { id, payload, reason }) => adjust(deps, tx, { ...payload, id }, reason),
  facts: ({ payload: { mode, amount } }) => ({ mode, amount: usdToText(amount) }),
  list: {
    columns: sql`a.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, a.mode, a.amount`,
    joins: sql`join adjustments a on a.id = r.id join users u on u.id = a.user_id`,
    user: 'a.user_id',
    amount: sql`abs(a.amount)`,
  },
  view: (row: AdjustmentColumns) => ({
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    book: row.mode,
    amount: dollars(row.amount),
  }),
})

/** Proposes an adjustment; no money moves. Throws `not_found`, `own_item`. */
export const proposeAdjustment = (
  deps: DeskDeps,
  who: WhoOperates,
  userId: bigint,
  { mode, amount, reason }: { mode: Mode; amount: Usd; reason: string },
): Promise<DeskAdjustment> =>
  adjustments.propose(deps, who, async (tx) => {
    const user = await findUserOf(tx, userId)
    refuseOwn(who, user.email)
    return { subject: null, payload: { user_id: user.id, mode, amount }, reason, userId: user.id }
  })

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
  const { name: kind } = adjustments
  const adjustment: Adjustment = { user_id: userId, mode: 'real', amount }
  const id = must(await insertProposal(tx, { kind, subject: null, reason, operatorId: proposedBy }))
  await details.insert(tx, id, adjustment)
  await decideProposal(tx, { kind, id }, { status: 'Approved' }, who.operatorId)
  await adjust(deps, tx, { ...adjustment, id }, reason)
  return id
}

async function adjust(
  deps: Pick<DeskDeps, 'notices' | 'balances'>,
  tx: Tx,
  { id: causeId, user_id: userId, mode, amount }: Adjustment & { id: bigint },
  reason: string,
): Promise<void> {
  const up = amount > 0n
  const part: Part = up
    ? { debit: 'house', credit: 'balance', amount }
    : { debit: 'balance', credit: 'house', amount: negate(amount) }
  await post(tx, { userId, mode, cause: 'adjust', causeId, parts: [part] })
  const size = dollarsText(part.amount)
  deps.balances.afterCommit(tx, userId)
  await deps.notices.write(tx, {
    userId,
    kind: 'account',
    title: up ? `${size} was added to your ${mode} account` : `${size} was taken from your ${mode} account`,
    text: `An operator corrected your balance. Reason: ${reason}`,
    path: '/user/home',
  })
}

/** Returns the reasons of a user's adjustments, for statements. */
export async function adjustmentReasons(db: Db, userId: bigint, ids: readonly bigint[]): Promise<Map<bigint, string>> {
  const rows = await db
    .selectFrom('adjustments as a')
    .innerJoin('proposals as p', (join) => join.on('p.kind', '=', 'adjustments').onRef('p.id', '=', 'a.id'))
    .select(['a.id', 'p.reason'])
    .where('a.id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .where('a.user_id', '=', userId)
    .execute()
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}
