import type { DeskWithdrawal } from '#contract/desk.ts'
import { publicId } from '#kernel/id.ts'
import { approvalsNeeded, bankOf, flagsOfWithdrawals, readSettings, toWithdraw } from '../cashier/index.ts'
import { sql } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { audited } from './audited.ts'
import { type ApprovalRow, approvalsOf, approvedBy } from './deposits.ts'
import type { DeskDeps } from './deps.ts'
import { flagsOfUsers } from './flags.ts'
import type { QueueFilter } from './identity-checks.ts'
import { type ClaimColumns, claimJoin, findItem, itemFields, parseNumber } from './items.ts'

type Row = Parameters<typeof toWithdraw>[0] & ClaimColumns & { email: string; name: string; approved_by: ApprovalRow[] }

/** Withdrawals, newest first. */
export async function withdrawals(
  { db }: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  filter: QueueFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<DeskWithdrawal[]> {
  const user = filter.user ? (parseNumber(filter.user) ?? 0n) : null
  const { rows } = await sql<Row>`
    select item.*, u.email, u.firstname || ' ' || u.lastname as name, ${approvalsOf('withdrawal')}, claim.*
    from withdrawals item join users u on u.id = item.user_id ${claimJoin('withdrawals', 'item.id')}
    where (${filter.status ?? null}::text is null or item.status = ${filter.status ?? null}::withdrawal_status)
      and (${user}::bigint is null or item.user_id = ${user})
      and (${filter.id ?? null}::bigint is null or item.id = ${filter.id ?? null})
      and (${page.before ?? null}::bigint is null or item.id < ${page.before ?? null})
    order by item.id desc limit ${page.limit}`.execute(db)
  if (rows.length === 0) return []
  const settings = await readSettings(db)
  const flags = await flagsOfWithdrawals(
    db,
    rows.map((row) => row.id),
  )
  const userFlags = await flagsOfUsers(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => {
    const { method, currency, wallet, amount, status, reason, reference, due_by } = toWithdraw(row)
    return {
      ...itemFields(who, row, publicId(row.id)),
      flags: [...(flags.get(row.id) ?? []), ...(userFlags.get(row.user_id) ?? [])],
      method,
      currency,
      wallet,
      amount,
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(reference === undefined ? {} : { reference }),
      approvals: row.approvals,
      approvals_needed: approvalsNeeded(row.amount, settings.withdrawal_two_person_above),
      approved_by: approvedBy(row.approved_by),
      ...(due_by === undefined ? {} : { due_by }),
    }
  })
}

/** The bank account of a withdrawal, unmasked; that it was seen, and by whom, stands in the audit log. Throws `not_found`. */
export async function bankDetails(deps: Pick<DeskDeps, 'db' | 'bankSeal'>, who: WhoOperates, id: string) {
  const item = await findItem(deps.db, 'withdrawals', id)
  const bank = await bankOf({ db: deps.db, seal: deps.bankSeal }, item.id)
  return audited(deps.db, who, async () => ({
    answer: bank,
    deed: { action: 'view', item: { kind: 'withdrawals', id }, userId: item.userId },
  }))
}
