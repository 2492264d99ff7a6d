import type { DeskDeposit } from '#contract/desk.ts'
import { publicId } from '#kernel/id.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { approvalsNeeded, depositById, flagsOfDeposits, readSettings, receiptOf, toDeposit } from '../cashier/index.ts'
import { sql } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { audited } from './audited.ts'
import type { DeskDeps } from './deps.ts'
import { flagsOfUsers } from './flags.ts'
import type { QueueFilter } from './identity-checks.ts'
import { type ClaimColumns, claimJoin, findItem, itemFields, notFound, parseNumber } from './items.ts'

type DepositRow = Parameters<typeof toDeposit>[0]
type Row = DepositRow & ClaimColumns & { email: string; name: string; approved_by: ApprovalRow[] }

export interface ApprovalRow {
  operator_id: string
  email: string
  /** Cents as text. */
  amount: string | null
  at: string
}

/** Who approved a row of a queue, first to last, as JSON. `amount`: what he named, where he did. */
export const approvalsOf = (table: 'deposit' | 'withdrawal') => sql`
  coalesce((
    select jsonb_agg(jsonb_build_object('operator_id', a.operator_id::text, 'email', o.email, 'at', a.at,
      'amount', ${table === 'deposit' ? sql`a.amount::text` : sql`null::text`}) order by a.at)
    from ${sql.table(`${table}_approvals`)} a join operators o on o.id = a.operator_id
    where a.${sql.ref(`${table}_id`)} = item.id
  ), '[]') as approved_by,
  (select count(*)::int from ${sql.table(`${table}_approvals`)} a where a.${sql.ref(`${table}_id`)} = item.id) as approvals,
  (select max(a.at) from ${sql.table(`${table}_approvals`)} a where a.${sql.ref(`${table}_id`)} = item.id) as approved_at`

export const approvedBy = (rows: readonly ApprovalRow[]): DeskDeposit['approved_by'] =>
  rows.map(({ operator_id, email, amount, at }) => ({
    operator_id,
    email,
    at: new Date(at).toISOString(),
    ...(amount === null ? {} : { amount: usdToNumber(usd(BigInt(amount))) }),
  }))

/** Deposits, newest first. */
export async function deposits(
  { db }: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  filter: QueueFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskDeposit[]> {
  const user = filter.user ? (parseNumber(filter.user) ?? 0n) : null
  const { rows } = await sql<Row>`
    select item.*, u.email, u.firstname || ' ' || u.lastname as name, ${approvalsOf('deposit')}, claim.*
    from deposits item join users u on u.id = item.user_id ${claimJoin('deposits', 'item.id')}
    where (${filter.status ?? null}::text is null or item.status = ${filter.status ?? null}::deposit_status)
      and (${user}::bigint is null or item.user_id = ${user})
      and (${filter.id ?? null}::bigint is null or item.id = ${filter.id ?? null})
      and (${page.before ?? null}::bigint is null or item.id < ${page.before ?? null})
    order by item.id desc limit ${page.limit}`.execute(db)
  if (rows.length === 0) return []
  const settings = await readSettings(db)
  const flags = await flagsOfDeposits(
    db,
    rows.map((row) => row.id),
  )
  const userFlags = await flagsOfUsers(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => {
    const { method, currency, usd_amount, coin_amount, rate, status, reason, due_by, reversed } = toDeposit(row)
    const id = publicId(row.id)
    const amount = row.approved_by[0]?.amount ? BigInt(row.approved_by[0].amount) : (row.credited ?? row.announced)
    return {
      ...itemFields(who, row, id),
      flags: [...(flags.get(row.id) ?? []), ...(userFlags.get(row.user_id) ?? [])],
      method,
      currency,
      usd_amount,
      coin_amount,
      rate,
      ...(row.credited === null ? {} : { amount: usdToNumber(usd(row.credited)) }),
      status,
      ...(reason === undefined ? {} : { reason }),
      receipt_url: row.receipt === null ? null : `/api/desk/deposits/${id}/receipt`,
      approvals: row.approvals,
      approvals_needed: approvalsNeeded(amount, settings.deposit_two_person_above),
      approved_by: approvedBy(row.approved_by),
      ...(due_by === undefined ? {} : { due_by }),
      ...(reversed === undefined ? {} : { reversed }),
    }
  })
}

/** The picture of a receipt; that it was seen, and by whom, stands in the audit log. Throws `not_found`. */
export async function receiptPicture(
  deps: Pick<DeskDeps, 'db' | 'files'>,
  who: WhoOperates,
  id: string,
): Promise<Buffer> {
  const item = await findItem(deps.db, 'deposits', id)
  const row = await depositById(deps.db, item.id)
  if (!row) throw notFound()
  const picture = await receiptOf(deps, row)
  return audited(deps.db, who, async () => ({
    answer: picture,
    deed: { action: 'view', item: { kind: 'deposits', id }, userId: item.userId },
  }))
}
