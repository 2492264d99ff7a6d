import type { DeskUserPicture } from '#contract/desk.ts'
import type { Db } from '../platform/db.ts'
import type { WhoOperates } from '../platform/http/index.ts'
import { audited } from './audited.ts'
import { findUserOf } from './user-of.ts'

type Note = DeskUserPicture['notes'][number]

/** Writes a note that only the desk reads; final. Throws `not_found`. */
export function writeNote(db: Db, who: WhoOperates, uncheckedUser: string, text: string): Promise<Note> {
  return audited(db, who, async (tx) => {
    const user = await findUserOf(tx, uncheckedUser)
    const row = await tx
      .insertInto('notes')
      .values({ user_id: user.id, operator_id: who.operatorId, text: text.toWellFormed() })
      .returning(['id', 'text', 'at'])
      .executeTakeFirstOrThrow()
    return {
      answer: {
        id: String(row.id),
        operator_id: String(who.operatorId),
        email: who.email,
        text: row.text,
        at: row.at.toISOString(),
      },
      deed: { action: 'note', item: { kind: 'users', id: uncheckedUser }, userId: user.id, after: { text } },
    }
  })
}

/** The newest notes on a user. */
export async function notesOf(db: Db, userId: bigint, limit: number): Promise<Note[]> {
  const rows = await db
    .selectFrom('notes')
    .innerJoin('operators', 'operators.id', 'notes.operator_id')
    .select(['notes.id', 'operators.id as operator', 'operators.email', 'notes.text', 'notes.at'])
    .where('notes.user_id', '=', userId)
    .orderBy('notes.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: String(row.id),
    operator_id: String(row.operator),
    email: row.email,
    text: row.text,
    at: row.at.toISOString(),
  }))
}
