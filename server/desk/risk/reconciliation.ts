import type { DeskReconciliation } from '#contract/desk/money/reconciliation.ts'
import { payoutHalt } from '../../cashier/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { newestSolvencyStatement, requestSolvencyStatement } from '../../proof/index.ts'
import { audited } from '../audit/audited.ts'

/** Returns the newest reconciliation and the halt of payouts, if there is one. */
export async function reconciliation(db: Db): Promise<DeskReconciliation> {
  const last = await db.selectFrom('reconciliation').selectAll().executeTakeFirst()
  const halt = await payoutHalt(db)
  return {
    last: last
      ? { finished_at: last.finished_at.toISOString(), took_ms: last.took_ms, differences: last.differences }
      : null,
    halt: halt
      ? {
          started_at: halt.started_at.toISOString(),
          found_at: halt.found_at.toISOString(),
          differences: halt.findings,
          ...(halt.clean_at ? { clean_at: halt.clean_at.toISOString() } : {}),
          ...(await pendingResumption(db, halt.id)),
        }
      : null,
    statement: (await newestSolvencyStatement(db)) ?? null,
  }
}

async function pendingResumption(db: Db, haltId: bigint) {
  const { rows } = await sql<{ id: string; proposed_by: string }>`
    select r.id::text, o.email as proposed_by from proposals r join operators o on o.id = r.proposed_by
    where r.kind = 'payout-resumptions' and r.subject = ${haltId}::text and r.status = 'Pending'`.execute(db)
  return rows[0] ? { resumption: rows[0] } : {}
}

/** Requests a statement of solvency, which the engine makes within seconds. */
export const demandSolvencyStatement = (db: Db, who: WhoOperates): Promise<string> =>
  audited(db, who, async (tx) => {
    await requestSolvencyStatement(tx)
    return {
      answer: 'Requested. The statement appears here within half a minute.',
      entry: { action: 'request', item: { kind: 'solvency', id: 'statement' } },
    }
  })
