import type { noticesCalls } from '#contract/messages/notices.ts'
import { parseRowId } from '#kernel/id.ts'
import { first, must } from '#kernel/must.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/http/page.ts'
import { prefer, preferencesOf } from './preferences.ts'

/** The routes of `contract/messages/notices.ts`. */
export function noticesRoutes({ db }: { db: Db }): Handlers<keyof typeof noticesCalls> {
  return {
    'GET /notices': async ({ who, query, reads }) => {
      const page = pageOf(query, parseRowId)
      const { after, limit } = page
      const rows = await reads
        .selectFrom('notices')
        .select(['id', 'kind', 'title', 'text', 'path', 'at', 'read_at'])
        .where('user_id', '=', who.userId)
        .$if(after !== undefined, (select) => select.where('id', '<', must(after)))
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const { rows: counted } = await sql<{ unread: number }>`
        select count(*)::int as unread from notices where user_id = ${who.userId} and read_at is null`.execute(reads)
      const view = (row: (typeof rows)[number]) => ({
        id: String(row.id),
        kind: row.kind,
        title: row.title,
        text: row.text,
        path: row.path,
        at: row.at.toISOString(),
        read: row.read_at !== null,
      })
      return { ...listReply(rows, page, view, String), unread: first(counted).unread }
    },
    'POST /notices/read': async ({ who, body }) => {
      await db
        .updateTable('notices')
        .set({ read_at: sql<Date>`clock_timestamp()` })
        .where('user_id', '=', who.userId)
        .where('id', '<=', body.up_to)
        .where('read_at', 'is', null)
        .execute()
      return { status: true, message: 'Marked as read.' }
    },
    'GET /notices/preferences': async ({ who }) => ({ status: true, data: await preferencesOf(db, who.userId) }),
    'PATCH /notices/preferences': async ({ who, body }) => {
      await prefer(db, who.userId, body)
      return { status: true, message: 'Saved.', data: await preferencesOf(db, who.userId) }
    },
  }
}
