import { DEFAULT_LIMIT } from '#contract/fields.ts'
import type { Notice, noticesCalls } from '#contract/notices.ts'
import { fieldProblem } from '#contract/problem.ts'
import { type Db, sql } from '../platform/db.ts'
import type { Handlers } from '../platform/http/index.ts'

/** The routes of `contract/notices.ts`. */
export function noticesRoutes({ db }: { db: Db }): Handlers<keyof typeof noticesCalls> {
  return {
    'GET /notices': async ({ who, query }) => {
      const before = query.cursor === undefined ? undefined : number(query.cursor, 'cursor')
      const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit)
      const rows = await db
        .selectFrom('notices')
        .select(['id', 'kind', 'title', 'text', 'path', 'at', 'read_at'])
        .where('user_id', '=', who.userId)
        .$if(before !== undefined, (select) => select.where('id', '<', before!))
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const { rows: counted } = await sql<{ unread: number }>`
        select count(*)::int as unread from notices where user_id = ${who.userId} and read_at is null`.execute(db)
      const page = rows.slice(0, limit)
      return {
        status: true,
        data: page.map((row) => ({
          id: String(row.id),
          kind: row.kind as Notice['kind'],
          title: row.title,
          text: row.text,
          path: row.path,
          at: row.at.toISOString(),
          read: row.read_at !== null,
        })),
        unread: counted[0]!.unread,
        ...(rows.length > limit ? { next_cursor: String(page.at(-1)!.id) } : {}),
      }
    },
    'POST /notices/read': async ({ who, body }) => {
      await db
        .updateTable('notices')
        .set({ read_at: sql<Date>`clock_timestamp()` })
        .where('user_id', '=', who.userId)
        .where('id', '<=', number(body.up_to, 'up_to'))
        .where('read_at', 'is', null)
        .execute()
      return { status: true, message: 'Marked as read.' }
    },
  }
}

function number(unchecked: string, field: string): bigint {
  if (!/^\d{1,18}$/.test(unchecked)) throw fieldProblem(field, 'is invalid')
  return BigInt(unchecked)
}
