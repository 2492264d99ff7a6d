import type { DeskWithdrawal } from '#contract/desk/withdrawals.ts'
import { publicId } from '#kernel/id.ts'
import { toIso } from '#kernel/time.ts'
import { approvalsNeeded, bankOf, standingOfWithdrawal, walletOf } from '../../cashier/index.ts'
import { type Db, sql } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import {
  type ClaimColumns,
  claimJoin,
  findItem,
  itemFields,
  type Owner,
  parseNumber,
  type QueueFilter,
  withOwners,
} from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { type ApprovalColumn, approvedBy, approvedByColumn, waitsForSecond } from '../lists/approvals.ts'
import { personFlags } from '../lists/flags.ts'
import { type WayOutColumns, wayOutColumns, wayOutFlags } from '../lists/money-flags.ts'
import { dollars, inOrder, isAfter, type List, type Page, readList, where } from '../lists/read.ts'

export interface WithdrawalRow extends ClaimColumns, WayOutColumns {
  id: string
  user_id: string
  created_at: string
  method: DeskWithdrawal['method']
  coin: DeskWithdrawal['currency']
  wallet: string | null
  bank_ending: string | null
  amount: number
  status: DeskWithdrawal['status']
  reason: string | null
  reference: string | null
  processing_at: string | null
  ended_at: string | null
  approved_by: ApprovalColumn[]
  two_person_above: number
}

/** Selects withdrawals, newest first. */
export const withdrawalRows = (filter: QueueFilter, page: Page): List<WithdrawalRow> => sql`
  select item.id::text, item.user_id::text, item.created_at, item.method,
    item.coin, item.wallet, item.bank_ending, item.amount, item.status, item.reason, item.reference, item.processing_at,
    item.ended_at, ${approvedByColumn('withdrawal')},
    (select withdrawal_two_person_above from cashier_settings) as two_person_above,
    ${wayOutColumns}, claim.*
  from withdrawals item ${claimJoin('withdrawals', 'item.id')}
  where ${where(
    filter.status !== undefined && sql`item.status = ${sql.lit(filter.status)}`,
    !!filter.user && sql`item.user_id = ${parseNumber(filter.user) ?? 0n}`,
    filter.id !== undefined && sql`item.id = ${filter.id}`,
    isAfter('item.id', page),
  )}
  ${inOrder('item.id', page)}`

export function toDeskWithdrawal(who: WhoOperates, row: WithdrawalRow & Owner): DeskWithdrawal {
  const timeOf = (text: string | null) => (text === null ? undefined : Date.parse(text))
  const { dueBy } = standingOfWithdrawal({
    status: row.status,
    createdAt: Date.parse(row.created_at),
    approvals: row.approved_by.length,
    approvedAt: timeOf(row.approved_by.at(-1)?.at ?? null),
    processingAt: timeOf(row.processing_at),
    endedAt: timeOf(row.ended_at),
  })
  return {
    ...itemFields(who, row, publicId(BigInt(row.id))),
    flags: [...wayOutFlags(row), ...personFlags(row)],
    method: row.method,
    currency: row.coin,
    wallet: walletOf(row),
    amount: dollars(row.amount),
    status: row.status,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.reference === null ? {} : { reference: row.reference }),
    approvals: row.approved_by.length,
    approvals_needed: waitsForSecond(row) ? 2 : approvalsNeeded(BigInt(row.amount), BigInt(row.two_person_above)),
    approved_by: approvedBy(row.approved_by),
    ...(dueBy === undefined ? {} : { due_by: toIso(dueBy) }),
  }
}

/** Lists withdrawals, newest first. */
export const withdrawals = async (
  db: Db,
  who: WhoOperates,
  filter: QueueFilter,
  page: Page,
): Promise<DeskWithdrawal[]> =>
  (await readList(db, withOwners(withdrawalRows(filter, page), page))).map((row) => toDeskWithdrawal(who, row))

/** Returns the unmasked bank account of a withdrawal. Each view is audited. Throws `not_found`. */
export async function bankDetails(deps: Pick<DeskDeps, 'db' | 'bankSeal'>, who: WhoOperates, id: string) {
  const item = await findItem(deps.db, 'withdrawals', id)
  const bank = await bankOf({ db: deps.db, seal: deps.bankSeal }, item.id)
  return audited(deps.db, who, async () => ({
    answer: bank,
    deed: { action: 'view', item: { kind: 'withdrawals', id }, userId: item.userId },
  }))
}
