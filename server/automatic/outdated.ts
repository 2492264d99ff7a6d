import { userOf } from '../ledger/index.ts'
import { inTransaction, sql } from '../platform/db.ts'
import { STRATEGIES } from '../strategies/index.ts'
import type { AutomaticDeps } from './deps.ts'

const REASON = 'The strategy has a new version. Read its rule, then start again.'

/** Stops automatic trades that follow a version of a strategy that no longer exists, with a notification. */
export async function stopOutdated({ db, notices }: Pick<AutomaticDeps, 'db' | 'notices'>): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ account_id: bigint }>`
      update automations a set state = 'Stopped', stop_reason = ${REASON}
      from unnest(${STRATEGIES.map(({ id }) => id)}::strategy[], ${STRATEGIES.map(({ version }) => version)}::smallint[])
        as now(strategy, version)
      where a.state = 'Running' and a.strategy = now.strategy and a.version <> now.version returning a.account_id`.execute(
      tx,
    )
    const userIds = rows.map((row) => userOf(row.account_id))
    await notices.writeToAll(tx, userIds, {
      kind: 'automatic',
      title: 'Automatic trades stopped',
      text: REASON,
      path: '/user/automatic',
    })
  })
}
