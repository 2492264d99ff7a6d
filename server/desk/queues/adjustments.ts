import type { DeskAdjustment } from '#contract/desk/adjustments.ts'
import { Problem } from '#contract/problem.ts'
import { smaller, type Usd, usd, usdGrouped, usdToText } from '#kernel/money.ts'
import { type Book, lockAccount, type Part, post } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { isOwn, notFound, numberOf, parseNumber, type QueueFilter, refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { dollars, inOrder, isAfter, isoOf, type List, type Page, readList, where } from '../lists/read.ts'
import { findUserOf, lockUserOf } from '../users/user-of.ts'

export interface AdjustmentRow {
  id: string
  user_id: string
  email: string
  name: string
  book: Book
  amount: number
  reason: string
  status: DeskAdjustment['status']
  proposer: string
  proposer_email: string
  proposed_at: string
  decider: string | null
  decider_email: string | null
  decided_at: string | null
  decision_reason: string | null
}

/** Selects pending and decided adjustments, newest first. */
export const adjustmentRows = (filter: QueueFilter, page: Page): List<AdjustmentRow> => sql`
  select a.id::text, a.user_id::text, u.email, u.firstname || ' ' || u.lastname as name, a.book, a.amount, a.reason, a.status,
    p.id::text as proposer, p.email as proposer_email, a.proposed_at, d.id::text as decider, d.email as decider_email,
    a.decided_at, a.decision_reason
  from adjustments a join users u on u.id = a.user_id join operators p on p.id = a.proposed_by
    left join operators d on d.id = a.decided_by
  where ${where(
    filter.status !== undefined && sql`a.status = ${sql.lit(filter.status)}`,
    !!filter.user && sql`a.user_id = ${parseNumber(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`a.id = ${filter.id}`,
    isAfter('a.id', page),
  )}
  ${inOrder('a.id', page)}`

export const toDeskAdjustment = (who: WhoOperates, row: AdjustmentRow): DeskAdjustment => ({
  id: row.id,
  user_id: row.user_id,
  email: row.email,
  name: row.name,
  book: row.book,
  amount: dollars(row.amount),
  reason: row.reason,
  status: row.status,
  proposed_by: { operator_id: row.proposer, email: row.proposer_email },
  created_at: isoOf(row.proposed_at),
  decided_by: row.decider === null ? null : { operator_id: row.decider, email: row.decider_email! },
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
  ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
  own: row.proposer === String(who.operatorId) || isOwn(who, row.email),
})

/** Lists pending and decided adjustments, newest first. */
export const adjustments = async (
  db: Db | Tx,
  who: WhoOperates,
  filter: QueueFilter,
  page: Page,
): Promise<DeskAdjustment[]> =>
  (await readList(db, adjustmentRows(filter, page))).map((row) => toDeskAdjustment(who, row))

/** Proposes an adjustment; no money moves. Throws `not_found`, `own_item`. */
export function proposeAdjustment(
  db: Db,
  who: WhoOperates,
  uncheckedUser: string,
  { book, amount, reason }: { book: Book; amount: Usd; reason: string },
): Promise<DeskAdjustment> {
  return audited(db, who, async (tx) => {
    const user = await findUserOf(tx, uncheckedUser)
    refuseOwn(who, user.email)
    const { id } = await tx
      .insertInto('adjustments')
      .values({ user_id: user.id, book, amount, reason: reason.toWellFormed(), proposed_by: who.operatorId })
      .returning('id')
      .executeTakeFirstOrThrow()
    return {
      answer: await one(tx, who, id),
      deed: {
        action: 'propose',
        item: { kind: 'adjustments', id: String(id) },
        userId: user.id,
        after: { status: 'Pending', book, amount: usdToText(amount) },
        why: reason,
      },
    }
  })
}

/**
 * Approves an adjustment proposed by another operator and moves the money. A credit repays debt first. Throws
 * `not_found`, `own_item`, `second_person_required`, `wrong_state`, `insufficient_balance`.
 */
export const approveAdjustment = (deps: DeskDeps, who: WhoOperates, id: string): Promise<DeskAdjustment> =>
  decide(deps, who, id, 'Approved')

/** Rejects an adjustment, with a reason. Throws as `approveAdjustment`. */
export const rejectAdjustment = (
  deps: DeskDeps,
  who: WhoOperates,
  id: string,
  reason: string,
): Promise<DeskAdjustment> => decide(deps, who, id, 'Rejected', reason)

function decide(
  deps: Pick<DeskDeps, 'db' | 'notices' | 'balances'>,
  who: WhoOperates,
  unchecked: string,
  status: 'Approved' | 'Rejected',
  reason?: string,
): Promise<DeskAdjustment> {
  return audited(deps.db, who, async (tx) => {
    const id = numberOf(unchecked)
    const find = () => tx.selectFrom('adjustments').selectAll().where('id', '=', id).executeTakeFirst()
    const seen = await find()
    if (!seen) throw notFound()
    // Lock the user's row first, as everywhere, then read the proposal again under that lock.
    const user = await lockUserOf(tx, String(seen.user_id))
    const adjustment = (await find())!
    refuseOwn(who, user.email)
    if (adjustment.status !== 'Pending') throw new Problem('wrong_state', 'This adjustment was decided already.')
    if (adjustment.proposed_by === who.operatorId)
      throw new Problem('second_person_required', 'You proposed this. A second person decides.')
    await tx
      .updateTable('adjustments')
      .set({
        status,
        decided_by: who.operatorId,
        decided_at: sql<Date>`clock_timestamp()`,
        decision_reason: reason?.toWellFormed() ?? null,
      })
      .where('id', '=', id)
      .execute()
    const amount = usd(adjustment.amount)
    const move = { userId: user.id, book: adjustment.book, causeId: id, amount }
    if (status === 'Approved') await adjust(deps, tx, move, adjustment.reason)
    return {
      answer: await one(tx, who, id),
      deed: {
        action: status === 'Approved' ? 'approve' : 'reject',
        item: { kind: 'adjustments', id: unchecked },
        userId: user.id,
        before: { status: 'Pending' },
        after: { status, book: adjustment.book, amount: usdToText(amount) },
        why: reason ?? adjustment.reason,
      },
    }
  })
}

async function adjust(
  deps: Pick<DeskDeps, 'notices' | 'balances'>,
  tx: Tx,
  move: { userId: bigint; book: Book; causeId: bigint; amount: Usd },
  reason: string,
): Promise<void> {
  const { userId, book, causeId, amount } = move
  const { owed } = await lockAccount(tx, userId, book)
  await post(tx, { userId, book, cause: 'adjust', causeId, parts: partsOf(amount, owed) })
  const up = amount > 0n
  const size = usdGrouped(usd(up ? amount : -amount))
  deps.balances.afterCommit(tx, userId)
  await deps.notices.write(tx, {
    userId,
    kind: 'account',
    title: up ? `${size} USD were added to your ${book} account` : `${size} USD were taken from your ${book} account`,
    text: `An operator corrected your balance. The reason: ${reason}`,
    path: '/user/home',
  })
}

/** Splits an adjustment into parts. A credit repays debt (`owed`, 0 or below) first. */
export function partsOf(amount: Usd, owed: Usd): Part[] {
  if (amount < 0n) return [{ debit: 'balance', credit: 'house', amount: usd(-amount) }]
  const debt = smaller(usd(-owed), amount)
  return [
    { debit: 'house', credit: 'owed', amount: debt },
    { debit: 'house', credit: 'balance', amount: usd(amount - debt) },
  ]
}

async function one(tx: Tx, who: WhoOperates, id: bigint): Promise<DeskAdjustment> {
  const [row] = await adjustments(tx, who, { id }, { after: undefined, limit: 1 })
  return row!
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
