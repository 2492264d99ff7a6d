import { type Db, sql, type Tx } from '../../platform/database/db.ts'

/**
 * Whether an operator who may answer chats is online: an open desk polls its lists every few seconds, and its session
 * records that once a minute.
 */
export async function isSupportOnline(db: Db | Tx): Promise<boolean> {
  const { rows } = await sql`
    select from operator_sessions s join operators o on o.id = s.operator_id
    where s.ended_at is null and s.expires_at > clock_timestamp() and s.last_seen_at > clock_timestamp() - interval '2 minutes'
      and o.ended_at is null and 'support' = any (o.roles)
    limit 1`.execute(db)
  return rows.length > 0
}
