import type { OwnStrategyKey } from '#contract/terms.ts'
import { userOf } from '../ledger/index.ts'
import { inTransaction, sql, type Tx } from '../platform/database/db.ts'
import { STRATEGIES } from '../strategies/index.ts'
import { giveUpReservations } from './automation.ts'
import type { AutomaticDeps } from './deps.ts'
import { MEASURING_METHOD } from './measured.ts'

const NEW_VERSION = 'A strategy that you follow has a new version. Read its rule, then start again.'
const NEW_METHOD =
  'We now measure hit rates more strictly: the intervals are wider than those that you confirmed. Read how the strategy did so far, then start again.'

/**
 * Stops automatic trades that follow a version of a strategy that no longer exists, and those with real money whose
 * owner confirmed results that were measured differently, with a notification.
 */
export async function stopOutdated({ db, notices }: Pick<AutomaticDeps, 'db' | 'notices'>): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ account_id: bigint; stop_reason: string }>`
      with outdated as (
        select f.account_id, bool_or(f.version <> now.version) as is_older
        from followed_strategies f join unnest(${STRATEGIES.map(({ id }) => id)}::strategy_key[], ${STRATEGIES.map(({ version }) => version)}::smallint[])
          as now(strategy, version) using (strategy)
        group by f.account_id
      )
      update automations a set state = 'Stopped',
        stop_reason = case when o.is_older then ${NEW_VERSION} else ${NEW_METHOD} end
      from outdated o
      where a.state = 'Running' and a.account_id = o.account_id
        and (o.is_older or a.mode = 'real' and a.confirmed_method is distinct from ${MEASURING_METHOD})
      returning a.account_id, a.stop_reason`.execute(tx)
    for (const [text, stopped] of Map.groupBy(rows, ({ stop_reason }) => stop_reason)) {
      const userIds = stopped.map((row) => userOf(row.account_id))
      await notices.writeToAll(tx, userIds, {
        kind: 'automatic',
        title: 'Automatic trades stopped',
        text,
        path: '/user/automatic',
      })
    }
  })
}

/** Stops all who follow a trader's strategy: it has ended, or has another version. Each is notified why. */
export async function stopFollowers(
  { notices, bus }: Pick<AutomaticDeps, 'notices' | 'bus'>,
  tx: Tx,
  strategy: OwnStrategyKey,
  why: string,
): Promise<void> {
  const { rows } = await sql<{ account_id: bigint }>`
    update automations set state = 'Stopped', stop_reason = ${why}
    where account_id in (
      select account_id from automations
      where state in ('Running', 'Paused')
        and account_id in (select account_id from followed_strategies where strategy = ${strategy})
      order by account_id for update
    )
    returning account_id`.execute(tx)
  if (rows.length === 0) return
  const accountIds = rows.map((row) => row.account_id)
  await giveUpReservations(tx, accountIds)
  tx.afterCommit(() => bus.publish('automatic-changed', { accountIds: accountIds.map(String) }))
  await notices.writeToAll(tx, [...new Set(accountIds.map(userOf))], {
    ...{ kind: 'automatic', title: 'Automatic trades stopped', text: why, path: '/user/automatic' },
  })
}
