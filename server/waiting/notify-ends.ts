import { must } from '#kernel/must.ts'
import { userOf } from '../ledger/index.ts'
import { pathOfTrade } from '../notices/index.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import type { WaitingDeps } from './deps.ts'
import type { WaitingRow } from './store.ts'
import { newsOf } from './words.ts'

const BATCH = 500

/** Notifies the owners of orders that have ended, once each. Returns how many. */
export function notifyEnds({ db, notices, instruments }: WaitingDeps): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<WaitingRow>`
      select * from waiting_orders where ended_at is not null and notice_id is null
      order by ended_at limit ${BATCH} for no key update skip locked`.execute(tx)
    if (rows.length === 0) return 0
    const noticeIds = await notices.writeEach(
      tx,
      rows.map((row) => ({
        userId: userOf(row.account_id),
        ...(row.trade_id !== null && { path: pathOfTrade(row.trade_id) }),
        ...newsOf(row, must(instruments.byId(row.symbol_id))),
      })),
      { kind: 'order', path: '/user/home' },
    )
    await sql`
      update waiting_orders o set notice_id = n.notice
      from unnest(${rows.map(({ account_id }) => account_id)}::bigint[], ${rows.map(({ id }) => id)}::bigint[],
        ${noticeIds}::bigint[]) as n(account_id, id, notice)
      where o.account_id = n.account_id and o.id = n.id`.execute(tx)
    return rows.length
  })
}
