import type { Notice } from '#contract/notices.ts'
import { sql, type Tx } from '../platform/db.ts'
import { type Mail, setLetter } from '../platform/mail/index.ts'

/** What somebody is told. Title and text may hold a trader's own words: every screen and letter shows them as text. */
export interface News {
  userId: bigint
  kind: Notice['kind']
  title: string
  text: string
  /** A place of the app, `/user/…`. */
  path?: `/user/${string}`
  /** Only the app says so, no letter. */
  quiet?: true
}

export interface NoticesDeps {
  brand: string
  publicUrl(): string
  mail: { enqueue(tx: Tx, mail: Mail): Promise<void>; wake(): void }
  /** Told after the commit; the owner's open screens hear it. */
  told(userId: bigint, notices: Notice[]): void
}

/** Tells traders what happened, in the transaction of what it tells, and their screens once that is committed. */
export interface Notices {
  write(tx: Tx, news: News): Promise<Written>
  /** After the commit. */
  committed(...written: (Written | undefined)[]): void
}

export interface Written {
  userId: bigint
  notice: Notice
}

export function openNotices(deps: NoticesDeps): Notices {
  return {
    async write(tx, { userId, kind, title, text, path = '', quiet }) {
      const row = await tx
        .insertInto('notices')
        .values({ user_id: userId, kind, title, text, path })
        .returning([
          'id',
          'at',
          sql<string | null>`(select email from users where id = ${userId} and ended_at is null)`.as('email'),
        ])
        .executeTakeFirstOrThrow()
      if (!quiet && row.email !== null) await sendLetter(tx, { to: row.email, title, text, path })
      return { userId, notice: { id: String(row.id), kind, title, text, path, at: row.at.toISOString(), read: false } }
    },
    committed(...written) {
      const byUser = Map.groupBy(
        written.filter((one) => one !== undefined),
        (one) => one.userId,
      )
      for (const [userId, list] of byUser)
        deps.told(
          userId,
          list.map((one) => one.notice),
        )
      if (byUser.size > 0) deps.mail.wake()
    },
  }

  async function sendLetter(tx: Tx, news: { to: string; title: string; text: string; path: string }) {
    const letter = {
      to: news.to,
      subject: news.title,
      paragraphs: ['Hello,', news.text],
      ...(news.path === '' ? {} : { action: { label: 'Have a look', url: `${deps.publicUrl()}${news.path}` } }),
      after: ['If you did not expect this, change your password and tell us.'],
    }
    await deps.mail.enqueue(tx, setLetter(letter, deps.brand))
  }
}
