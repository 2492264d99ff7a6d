import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { audited } from '../audit/audited.ts'
import { isoOf, type List } from '../lists/read.ts'
import { findUserOf } from './user-of.ts'

type Note = DeskUserPicture['notes'][number]

/** Adds an internal note about a user. Notes can't be changed. Throws `not_found`. */
export function writeNote(db: Db, who: WhoOperates, userId: bigint, text: string): Promise<Note> {
  return audited(db, who, async (tx) => {
    const user = await findUserOf(tx, userId)
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
      entry: { action: 'note', item: { kind: 'users', id: String(userId) }, userId: user.id, after: { text } },
    }
  })
}

interface NoteRow {
  id: string
  operator_id: string
  email: string
  text: string
  at: string
}

/** Selects the newest notes about a user. */
export const noteRows = (userId: bigint, limit: number): List<NoteRow> => sql`
  select n.id::text, n.operator_id::text, o.email, n.text, n.at from notes n join operators o on o.id = n.operator_id
  where n.user_id = ${userId} order by n.id desc limit ${sql.lit(limit)}`

export const toNote = (row: NoteRow): Note => ({ ...row, at: isoOf(row.at) })
