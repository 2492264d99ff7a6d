import type { RawBuilder } from 'kysely'
import type { Notice } from '#contract/notices.ts'
import { sql, type Tx } from '../platform/db.ts'
import { composeMail, type MailDraft, type Outbox } from '../platform/mail/index.ts'
import type { Push } from '../platform/push.ts'

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
  /** What the e-mail says instead of the text. */
  mail?: Pick<MailDraft, 'paragraphs' | 'facts' | 'remarks' | 'after'> & { actionLabel: string }
}

export interface NoticesDeps {
  brand: string
  publicUrl(): string
  mail: Outbox
  /**
   * Selects a user's address: none for a closed account, and with `confirmed` none for an address that isn't confirmed.
   */
  addressOf(userId: bigint, options: { confirmed: boolean }): RawBuilder<unknown>
  push: Pick<Push, 'afterCommit'>
}

/** Writes notifications in the transaction that causes them, and pushes them to open screens after the commit. */
export interface Notices {
  write(tx: Tx, news: News): Promise<void>
}

export function openNotices(deps: NoticesDeps): Notices {
  return {
    async write(tx, { userId, kind, title, text, path = '', quiet, mail }) {
      const draft = quiet ? sql`` : sql`, emails as (${mailOf(tx, { userId, kind, title, text, path, mail })})`
      const { rows } = await sql<{ id: bigint; at: Date }>`
        with written as (
          insert into notices (user_id, kind, title, text, path) values (${userId}, ${kind}, ${title}, ${text}, ${path})
          returning id, at
        )${draft}
        select id, at from written`.execute(tx)
      const row = rows[0]!
      deps.push.afterCommit(tx, userId, {
        op: 'notice',
        data: { id: String(row.id), kind, title, text, path, at: row.at.toISOString(), read: false },
      })
    },
  }

  function mailOf(tx: Tx, news: Omit<News, 'path' | 'quiet'> & { path: string }) {
    const {
      actionLabel,
      paragraphs,
      after = ["If you didn't expect this, change your password and contact us."],
      ...more
    } = news.mail ?? { actionLabel: 'View details', paragraphs: [news.text] }
    const draft: MailDraft = {
      // The query below provides the address.
      to: '',
      subject: news.title,
      paragraphs: ['Hello,', ...paragraphs],
      ...more,
      ...(news.path === '' ? {} : { action: { label: actionLabel, url: `${deps.publicUrl()}${news.path}` } }),
      after,
    }
    // Someone else may have registered an unconfirmed address: don't e-mail its owner about security.
    const address = deps.addressOf(news.userId, { confirmed: news.kind === 'security' })
    return deps.mail.mailsTo(tx, address, composeMail(draft, deps.brand))
  }
}
