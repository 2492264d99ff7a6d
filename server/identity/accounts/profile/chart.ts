import { Problem } from '#contract/problem.ts'
import type { ChartDocument } from '#contract/trading/chart.ts'
import { CHART_LIMITS } from '#contract/trading/chart-terms.ts'
import { type Db, sql } from '../../../platform/database/db.ts'

/** Returns what the user has on their charts. */
export async function chartOf(db: Db, userId: bigint): Promise<ChartDocument> {
  const { rows } = await sql<{ document: ChartDocument }>`
    select document from charts where user_id = ${userId}`.execute(db)
  return rows[0]?.document ?? {}
}

/**
 * Stores the given parts of the chart, in one statement: two screens that draw on different symbols keep both. Refuses
 * what would make the document too large.
 */
export async function changeChart(db: Db, userId: bigint, { drawings, ...parts }: ChartDocument): Promise<void> {
  const document = JSON.stringify({ ...parts, drawings: drawings ?? {} })
  const { rows } = await sql`
    insert into charts as c (user_id, document) values (${userId}, ${document}::jsonb)
    on conflict (user_id) do update
      set document = c.document || excluded.document
        || jsonb_build_object('drawings', (c.document -> 'drawings') || (excluded.document -> 'drawings'))
      where octet_length((c.document || excluded.document
        || jsonb_build_object('drawings', (c.document -> 'drawings') || (excluded.document -> 'drawings')))::text)
        <= ${CHART_LIMITS.bytes}
    returning 1`.execute(db)
  if (rows.length === 0)
    throw new Problem('validation_failed', 'Your charts are full. Delete drawings or layouts first.')
}
