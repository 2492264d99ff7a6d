import { Problem } from '#contract/problem.ts'
import { accountOf } from '../ledger/index.ts'
import { inTransaction } from '../platform/database/db.ts'
import type { GuardrailsDeps } from './deps.ts'
import type { GuardsRow } from './guards.ts'
import { pushChanged } from './limits.ts'

/** Whether trades wait for the trader to confirm a reality check. */
export const isCheckDue = (row: Pick<GuardsRow, 'check_minutes' | 'unchecked_seconds'>): boolean =>
  row.check_minutes !== null && row.unchecked_seconds >= row.check_minutes * 60

/**
 * Confirms a reality check by its number. Another tab may have confirmed it already, which changes nothing. Throws
 * `wrong_state` for one that isn't due yet.
 */
export async function confirmCheck(deps: GuardrailsDeps, userId: bigint, number: number): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const row = await tx
      .selectFrom('guards')
      .selectAll()
      .where('account_id', '=', accountOf(userId, 'real'))
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (row && number < row.check_number) return
    if (!row || number > row.check_number || !isCheckDue(row))
      throw new Problem('wrong_state', 'This reality check is not due.')
    await tx
      .updateTable('guards')
      .set({ unchecked_seconds: 0, check_number: row.check_number + 1 })
      .where('account_id', '=', row.account_id)
      .execute()
    pushChanged(deps, tx, userId)
  })
}
