import type { Notice } from '#contract/notices.ts'
import { sql, type Tx } from '../platform/db.ts'
import { lettersTo, setLetter } from '../platform/mail/index.ts'

/**
 * A notification to a trader. Title and text may contain text that a trader typed: screens and e-mails must render them
 * as plain text.
 */
export interface News {
  userId: bigint
  kind: Notice['kind']
  title: string
  text: string
  /** A path in the app, `/user/…`. */
  path?: `/user/${string}`
  /** Shown only in the app, not e-mailed. */
  quiet?: true
}

export interface NoticesDeps {
  brand: string
  publicUrl(): string
  mail: { wake(): void }
  /** Called after the commit to push to the owner's open screens. */
  told(userId: bigint, notices: Notice[]): void
}

/** Writes notifications in the transaction that causes them, and pushes them to open screens after the commit. */
export interface Notices {
  write(tx: Tx, news: News): Promise<Written>
  /** Call after the commit. */
  committed(...written: (Written | undefined)[]): void
}

export interface Written {
  userId: bigint
  notice: Notice
}

export function openNotices(deps: NoticesDeps): Notices {
  return {
    async write(tx, { userId, kind, title, text, path = '', quiet }) {
      const letter = quiet ? sql`` : sql`, letters as (${letterOf({ userId, kind, title, text, path })})`
      const { rows } = await sql<{ id: bigint; at: Date }>`
        with told as (
          insert into notices (user_id, kind, title, text, path) values (${userId}, ${kind}, ${title}, ${text}, ${path})
          returning id, at
        )${letter}
        select id, at from told`.execute(tx)
      const row = rows[0]!
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

  function letterOf(news: { userId: bigint; kind: Notice['kind']; title: string; text: string; path: string }) {
    const letter = {
      // The query below provides the address.
      to: '',
      subject: news.title,
      paragraphs: ['Hello,', news.text],
      ...(news.path === '' ? {} : { action: { label: 'Have a look', url: `${deps.publicUrl()}${news.path}` } }),
      after: ['If you did not expect this, change your password and tell us.'],
    }
    // Someone else may have registered an unconfirmed address: don't e-mail its owner about security.
    const address = sql`select email from users where id = ${news.userId} and ended_at is null
      and (${news.kind !== 'security'} or email_confirmed_at is not null)`
    return lettersTo(address, setLetter(letter, deps.brand))
  }
}
