import type { Check } from '../ledger/index.ts'
import { type Db, type Snapshot, sql } from '../platform/db.ts'

/** Returns the first rows that break an invariant, as JSON. */
export async function brokenRows(db: Db | Snapshot, check: Check, limit: number): Promise<string[]> {
  const { rows } = await sql.raw<object>(`select * from (${check.sql}) broken limit ${limit}`).execute(db)
  return rows.map(rowText)
}

export const rowText = (row: object): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
