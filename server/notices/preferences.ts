import {
  canSwitchOff,
  NOTICE_DEFAULTS,
  NOTICE_KINDS,
  type NoticeChannel,
  type NoticeKind,
  type NoticePreference,
} from '#contract/messages/notices.ts'
import { fieldProblem } from '#contract/problem.ts'
import type { Db } from '../platform/database/db.ts'

/** Returns where a trader's notifications of each kind go. */
export async function preferencesOf(db: Db, userId: bigint): Promise<NoticePreference[]> {
  const rows = await db
    .selectFrom('notice_preferences')
    .select(['kind', 'in_app', 'email', 'push'])
    .where('user_id', '=', userId)
    .execute()
  const chosen = new Map(rows.map((row) => [row.kind, row]))
  return NOTICE_KINDS.map((kind) => chosen.get(kind) ?? { kind, ...NOTICE_DEFAULTS[kind] })
}

/** Switches a kind of notifications on or off in one channel. Throws if it can't be switched off there. */
export async function prefer(
  db: Db,
  userId: bigint,
  { kind, channel, on }: { kind: NoticeKind; channel: NoticeChannel; on: boolean },
): Promise<void> {
  if (!on && !canSwitchOff(kind, channel))
    throw fieldProblem('channel', "can't be switched off for these notifications")
  const chosen = { ...NOTICE_DEFAULTS[kind], [channel]: on }
  await db
    .insertInto('notice_preferences')
    .values({ user_id: userId, kind, ...chosen })
    .onConflict((conflict) => conflict.columns(['user_id', 'kind']).doUpdateSet({ [channel]: on }))
    .execute()
}
