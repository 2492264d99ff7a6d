import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'

/** A change of what the live price of a symbol must satisfy. */
export interface TermsChange {
  symbol: string
  /** Tape time from which it counts, or will. */
  from: Ms
}

/** Returns the changes that count from a time in [since, until] on, newest first: of a symbol, or of all. */
export async function termsChangesSince(
  db: Db,
  since: Ms,
  limit: number,
  { until = Number.MAX_SAFE_INTEGER, symbol }: { until?: Ms; symbol?: string | undefined } = {},
): Promise<TermsChange[]> {
  const { rows } = await sql<{ symbol: string; effective_from: bigint }>`
    select symbol, effective_from from terms_changes
    where effective_from between ${since} and ${until} and (${symbol ?? null}::text is null or symbol = ${symbol ?? null}::text)
    order by effective_from desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ symbol: row.symbol, from: Number(row.effective_from) }))
}
