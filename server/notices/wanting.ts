import type { NoticeKind } from '#contract/messages/notices.ts'
import { type Db, sql } from '../platform/database/db.ts'

/** Returns who wants notifications of these kinds anywhere: of kinds that are off until a trader switches them on. */
export async function usersWanting(
  db: Db,
  kinds: readonly ('trade-ending' | 'trade-settled')[],
): Promise<Map<NoticeKind, bigint[]>> {
  const { rows } = await sql<{ kind: NoticeKind; users: bigint[] }>`
    select kind, array_agg(user_id) as users from notice_preferences
    where kind in ('trade-ending', 'trade-settled') and kind = any(${kinds}::notice_kind[]) and (in_app or email or push)
    group by kind`.execute(db)
  return new Map(rows.map(({ kind, users }) => [kind, users.map(BigInt)]))
}
