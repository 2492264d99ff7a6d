import { isSessionActive } from '../identity/index.ts'
import type { PushedNotice } from '../notices/index.ts'
import { sql, type Tx } from '../platform/database/db.ts'

/**
 * The most messages that one browser may have waiting. Beyond that they are dropped: a browser that is off for days needs
 * no hundred notifications at once.
 */
const WAITING_MAX = 50

/** Returns a function that writes messages to the owners' browsers in the transaction of their notices. */
export const openPushOutbox =
  (wake: () => void) =>
  /** Returns how many messages were written. */
  async (tx: Tx, notices: readonly PushedNotice[]): Promise<number> => {
    if (notices.length === 0) return 0
    const { numAffectedRows } = await sql`
      insert into push_messages (user_id, subscription_id, kind, title, text, path)
      select n.user_id, s.id, n.kind::notice_kind, n.title, n.text, n.path
      from jsonb_to_recordset(${JSON.stringify(notices.map(toRow))}::jsonb)
        as n(user_id bigint, kind text, title text, text text, path text)
      join push_subscriptions s on s.user_id = n.user_id
      where ${isSessionActive(sql.ref('s.session_id'))}
        and (select count(*) from push_messages m where m.subscription_id = s.id) < ${WAITING_MAX}`.execute(tx)
    const written = Number(numAffectedRows ?? 0n)
    if (written > 0) tx.afterCommit(wake, { once: 'web push' })
    return written
  }

const toRow = ({ userId, ...notice }: PushedNotice) => ({ ...notice, user_id: String(userId) })
