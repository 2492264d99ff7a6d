import type { DeskDeposit } from '#contract/desk/deposits.ts'
import { publicId } from '#kernel/id.ts'
import { toIso } from '#kernel/time.ts'
import { approvalsNeeded, depositById, receiptOf, standingOfDeposit } from '../../cashier/index.ts'
import { type Db, sql } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import {
  type ClaimColumns,
  claimJoin,
  findItem,
  itemFields,
  notFound,
  type Owner,
  parseNumber,
  type QueueFilter,
  withOwners,
} from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { type ApprovalColumn, approvedBy, approvedByColumn, waitsForSecond } from '../lists/approvals.ts'
import { personFlags } from '../lists/flags.ts'
import { type ReceiptColumns, receiptColumns, receiptFlags } from '../lists/money-flags.ts'
import { dollars, inOrder, isAfter, type List, type Page, readList, where } from '../lists/read.ts'

export interface DepositRow extends ClaimColumns, ReceiptColumns {
  id: string
  user_id: string
  created_at: string
  method: DeskDeposit['method']
  coin: DeskDeposit['currency']
  announced: number
  credited: number | null
  reversed: number
  coin_amount: number | null
  rate: string | null
  status: DeskDeposit['status']
  reason: string | null
  has_receipt: boolean
  decided_at: string | null
  approved_by: ApprovalColumn[]
  two_person_above: number
}

/** Selects deposits, newest first. */
export const depositRows = (filter: QueueFilter, page: Page): List<DepositRow> => sql`
  select item.id::text, item.user_id::text, item.created_at, item.method,
    item.coin, item.announced, item.credited, item.reversed, item.coin_amount, item.rate::text, item.status, item.reason,
    item.receipt is not null as has_receipt, item.decided_at, ${approvedByColumn('deposit')},
    (select deposit_two_person_above from cashier_settings) as two_person_above,
    ${receiptColumns}, claim.*
  from deposits item ${claimJoin('deposits', 'item.id')}
  where ${where(
    filter.status !== undefined && sql`item.status = ${sql.lit(filter.status)}`,
    !!filter.user && sql`item.user_id = ${parseNumber(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`item.id = ${filter.id}`,
    isAfter('item.id', page),
  )}
  ${inOrder('item.id', page)}`

export function toDeskDeposit(who: WhoOperates, row: DepositRow & Owner): DeskDeposit {
  const id = publicId(BigInt(row.id))
  const { dueBy } = standingOfDeposit({
    status: row.status,
    method: row.method,
    createdAt: Date.parse(row.created_at),
    approvals: row.approved_by.length,
    approvedAt: undefined,
    decidedAt: undefined,
  })
  const amount = row.approved_by[0]?.amount ?? row.credited ?? row.announced
  return {
    ...itemFields(who, row, id),
    flags: [...receiptFlags(row), ...personFlags(row)],
    method: row.method,
    currency: row.coin,
    usd_amount: dollars(row.announced),
    coin_amount: row.coin_amount,
    rate: row.rate,
    ...(row.credited === null ? {} : { amount: dollars(row.credited) }),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    receipt_url: row.has_receipt ? `/api/desk/deposits/${id}/receipt` : null,
    approvals: row.approved_by.length,
    approvals_needed: waitsForSecond(row) ? 2 : approvalsNeeded(BigInt(amount), BigInt(row.two_person_above)),
    approved_by: approvedBy(row.approved_by),
    ...(dueBy === undefined ? {} : { due_by: toIso(dueBy) }),
    ...(row.reversed === 0 ? {} : { reversed: dollars(row.reversed) }),
  }
}

/** Lists deposits, newest first. */
export const deposits = async (db: Db, who: WhoOperates, filter: QueueFilter, page: Page): Promise<DeskDeposit[]> =>
  (await readList(db, withOwners(depositRows(filter, page), page))).map((row) => toDeskDeposit(who, row))

/** Returns the image of a receipt. Each view is audited. Throws `not_found`. */
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
