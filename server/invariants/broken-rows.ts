import type { Check } from '../ledger/index.ts'
import { type Db, type Snapshot, sql } from '../platform/database/db.ts'

/**
 * Returns the first rows that break an invariant, as JSON. Normally there are none, so all rows have to be read: a plan
 * for the first few, which a plain `limit` makes PostgreSQL choose, reads them one by one. A materialized query is
 * planned for all of its rows, and still ends once enough are found.
 */
export async function brokenRows(db: Db | Snapshot, check: Check, limit: number): Promise<string[]> {
  const { rows } = await sql.raw<object>(brokenRowsSql(check, limit)).execute(db)
  return rows.map(rowText)
}

export const brokenRowsSql = (check: Check, limit: number): string =>
  `with broken as materialized (${check.sql}) select * from broken limit ${limit}`

export const rowText = (row: object): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
