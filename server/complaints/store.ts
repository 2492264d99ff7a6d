import type { Insertable, Selectable } from 'kysely'
import type {
  ComplaintFinding,
  ComplaintItem,
  ComplaintReason,
  ComplaintStatus,
  ComplaintTick,
} from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import type { Usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import type { Page } from '../platform/http/page.ts'
import { type Decision, decideProposal, insertProposal, pendingProposal } from '../proposals/index.ts'
import type { Evidence } from './evidence.ts'

/** A complaint with the ruling that closed it. */
export interface ComplaintRow {
  id: bigint
  user_id: bigint
  item: ComplaintItem
  item_id: bigint
  reason: ComplaintReason
  text: string
  status: ComplaintStatus
  filed_at: Date
  due_at: Date
  closed_at: Date | null
  evidence: Evidence | null
  verified: boolean | null
  checked_at: Date | null
  finding: ComplaintFinding | null
  tick: ComplaintTick | null
  credit: Usd | null
}

const COLUMNS = sql`c.id, c.user_id, c.item, c.item_id, c.reason, c.text, c.status, c.filed_at, c.due_at, c.closed_at,
  c.evidence, c.verified, c.checked_at, r.finding, r.tick, r.credit`

/** Lists a user's complaints, newest first, with one extra row when there are more. */
export async function complaintsOf(db: Db | Tx, userId: bigint, { after, limit }: Page): Promise<ComplaintRow[]> {
  const { rows } = await sql<ComplaintRow>`
    select ${COLUMNS} from complaints c left join complaint_rulings r on r.complaint_id = c.id and r.approved_at is not null
    where c.user_id = ${userId} and (${after ?? null}::bigint is null or c.id < ${after ?? null})
    order by c.id desc limit ${limit + 1}`.execute(db)
  return rows
}

/** Returns a user's newest complaint about an item. */
export async function newestAbout(
  db: Db | Tx,
  userId: bigint,
  { item, itemId }: { item: ComplaintItem; itemId: bigint },
): Promise<ComplaintRow | undefined> {
  const { rows } = await sql<ComplaintRow>`
    select ${COLUMNS} from complaints c left join complaint_rulings r on r.complaint_id = c.id and r.approved_at is not null
    where c.user_id = ${userId} and c.item = ${item} and c.item_id = ${itemId}
    order by c.id desc limit 1`.execute(db)
  return rows[0]
}

/** Counts a user's complaints: those about an item, and those of the last 24 hours. */
export async function countComplaints(
  db: Db | Tx,
  userId: bigint,
  { item, itemId }: { item: ComplaintItem; itemId: bigint },
): Promise<{ about: number; today: number }> {
  const { rows } = await sql<{ about: number; today: number }>`
    select count(*) filter (where item = ${item} and item_id = ${itemId})::int as about,
      count(*) filter (where filed_at > clock_timestamp() - interval '24 hours')::int as today
    from complaints where user_id = ${userId}`.execute(db)
  return first(rows)
}

/** Locks a complaint's row. */
export const lockComplaint = (tx: Tx, id: bigint) =>
  tx.selectFrom('complaints').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

const RULINGS = 'rulings'

/** A ruling: what is proposed, by whom, and what became of it. Its proposal's subject is the complaint. */
type Ruling = Selectable<DB['complaint_rulings']> & { proposed_by: bigint }

/** Stores the proposal of a ruling about a complaint, of which none is pending. */
export async function insertRuling(
  tx: Tx,
  ruling: Omit<Insertable<DB['complaint_rulings']>, 'id'>,
  { reason, operatorId }: { reason: string; operatorId: bigint },
): Promise<void> {
  const subject = String(ruling.complaint_id)
  const id = await insertProposal(tx, { kind: RULINGS, subject, reason, operatorId })
  assert(id !== undefined, 'an open complaint has no pending ruling')
  await tx
    .insertInto('complaint_rulings')
    .values({ id, covers_sales: true, ...ruling })
    .execute()
}

/** Returns the pending ruling about a complaint. */
export async function pendingRuling(tx: Tx, complaintId: bigint): Promise<Ruling | undefined> {
  const proposal = await pendingProposal(tx, RULINGS, String(complaintId))
  if (!proposal) return undefined
  const { id, proposed_by } = proposal
  const ruling = await tx.selectFrom('complaint_rulings').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return { ...ruling, proposed_by }
}

/** Stores the decision about a pending ruling. */
export const decideRuling = (tx: Tx, id: bigint, decision: Decision, operatorId: bigint) =>
  decideProposal(tx, { kind: RULINGS, id }, decision, operatorId)

/** Whether a user has a complaint that isn't closed. */
export async function hasOpenComplaint(db: Db | Tx, userId: bigint): Promise<boolean> {
  const { rows } = await sql`
    select from complaints where user_id = ${userId} and closed_at is null limit 1`.execute(db)
  return rows.length > 0
}
