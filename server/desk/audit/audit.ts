import type { DeskAuditRow } from '#contract/desk/office/audit.ts'
import { parseRowId } from '#kernel/id.ts'
import { first, must } from '#kernel/must.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Page } from '../lists/read.ts'

interface AuditFilter {
  operator?: string | undefined
  action?: string | undefined
  item_kind?: string | undefined
  item_id?: string | undefined
  user?: string | undefined
}

/** Lists rows of the audit log, newest first. An invalid number matches nothing. */
export async function auditRows(db: Db, filter: AuditFilter, page: Page): Promise<DeskAuditRow[]> {
  const rows = await db
    .selectFrom('audit')
    .selectAll()
    .$if(page.after !== undefined, (query) => query.where('n', '<', must(page.after)))
    .$if(!!filter.operator, (query) => query.where('operator_id', '=', parseRowId(must(filter.operator)) ?? 0n))
    .$if(!!filter.user, (query) => query.where('user_id', '=', parseRowId(must(filter.user)) ?? 0n))
    .$if(!!filter.action, (query) => query.where('action', '=', must(filter.action)))
    .$if(!!filter.item_kind, (query) => query.where('item_kind', '=', must(filter.item_kind)))
    .$if(!!filter.item_id, (query) => query.where('item_id', '=', must(filter.item_id)))
    .orderBy('n', 'desc')
    .limit(page.limit)
    .execute()
  return rows.map((row) => ({
    id: String(row.n),
    at: row.at.toISOString(),
    operator_id: row.operator_id === null ? null : String(row.operator_id),
    operator: row.operator,
    action: row.action,
    item_kind: row.item_kind,
    item_id: row.item_id,
    user_id: row.user_id === null ? null : String(row.user_id),
    before: row.before,
    after: row.after,
    why: row.why,
    hash: row.hash.toString('hex'),
  }))
}

/** Recomputes the whole chain in the database and names the first row that was changed or is missing. */
export async function verifyAudit(db: Db): Promise<{ ok: boolean; rows: number; head: string; broken: string | null }> {
  const { rows } = await sql<{ rows: bigint; head: Buffer; broken: string | null }>`
    select (select count(*) from audit) as rows, h.hash as head, audit_broken() as broken from audit_head h`.execute(db)
  const { rows: count, head, broken } = first(rows)
  return { ok: broken === null, rows: Number(count), head: head.toString('hex'), broken }
}
