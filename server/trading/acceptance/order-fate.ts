import { setTimeout as sleep } from 'node:timers/promises'
import { userOf, userOfSql } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { accountBusy } from '../refusals.ts'
import { type TradeRow, tradeUnderKey } from '../store.ts'
import { BUSY_MS, PATIENCE_MS } from './queue/queue-state.ts'

/** The longest pause between two looks: a lock that is kept this long isn't another order's. */
const PAUSE_MAX_MS = 200

/**
 * Returns the trade that a key belongs to, before an order under this key is rejected; undefined if there is none. The
 * same order may be on its way through another node, so this takes the account's lock: a transaction that had it before
 * has committed or never will. It looks rather than waits: a waiting statement would keep one of the node's connections.
 * Throws `unavailable` while another transaction keeps the lock.
 */
export async function fateOf(db: Db, accountId: bigint, key: string): Promise<TradeRow | undefined> {
  const userId = userOf(accountId)
  const began = performance.now()
  for (let pauseMs = BUSY_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    const { rows } = await sql<{ certain: boolean; stored: boolean }>`
      with locked as materialized (select id, seq from accounts where id = ${accountId} for no key update skip locked)
      select l.seq is not distinct from a.seq as certain, exists (
        select from trades t where ${sql.raw(userOfSql('t.account_id'))} = ${userId} and t.key = ${key}
      ) as stored
      from accounts a left join locked l using (id) where a.id = ${accountId}`.execute(db)
    if (rows[0]?.stored) return tradeUnderKey(db, userId, key)
    if (rows[0]?.certain !== false) return undefined
    if (performance.now() - began >= PATIENCE_MS) throw accountBusy()
    await sleep(pauseMs)
  }
}
