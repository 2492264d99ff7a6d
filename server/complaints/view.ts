import type { Complaint } from '#contract/trading/complaints.ts'
import { publicId } from '#kernel/id.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { remediesOf } from '../trading/index.ts'
import { heldBy } from './state.ts'
import type { ComplaintRow } from './store.ts'

/** Returns complaints as their trader sees them. */
export async function toComplaints(db: Db | Tx, rows: readonly ComplaintRow[]): Promise<Map<bigint, Complaint>> {
  const trades = rows.filter(({ item }) => item === 'trade').map(({ item_id }) => item_id)
  const remedies = await remediesOf(db, trades)
  return new Map(rows.map((row) => [row.id, toComplaint(row, remedies.get(row.item_id) ?? row.credit ?? undefined)]))
}

function toComplaint(row: ComplaintRow, remedy: Usd | undefined): Complaint {
  const holder = heldBy(row.status, row.checked_at !== null)
  return {
    id: String(row.id),
    item: row.item,
    item_id: publicId(row.item_id),
    reason: row.reason,
    text: row.text,
    status: row.status,
    ...(holder === undefined ? {} : { held_by: holder }),
    createdAt: row.filed_at.toISOString(),
    due_by: row.due_at.toISOString(),
    evidence:
      row.evidence === null
        ? null
        : { ...row.evidence, verified: must(row.verified), checked_at: must(row.checked_at).toISOString() },
    ruling:
      row.finding === null
        ? null
        : { finding: row.finding, decided_at: must(row.closed_at).toISOString(), tick: row.tick },
    ...(remedy === undefined ? {} : { remedy: usdToNumber(remedy) }),
  }
}
