import type { RawBuilder } from 'kysely'
import type { Notice } from '#contract/notices.ts'
import { must } from '#kernel/must.ts'
import { sql, type Tx } from '../platform/database/db.ts'
import { composeMail, type MailDraft, type Outbox } from '../platform/mail/index.ts'
import type { Push } from '../platform/sockets/push.ts'

/**
 * A notification to a trader. Title and text may contain text that a trader typed: screens and e-mails must render them
 * as plain text.
 */
export interface News extends NewsForAll {
  userId: bigint
}

/** A notification that several traders receive. */
interface NewsForAll {
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

interface NoticesDeps {
  brand: string
  publicUrl(): string
  mail: Outbox
  /** Selects users' addresses: not those of closed accounts, and with `confirmed` only confirmed ones. */
  addressesOf(userIds: readonly bigint[], options: { confirmed: boolean }): RawBuilder<unknown>
  push: Pick<Push, 'afterCommit'>
}

/** Writes notifications in the transaction that causes them, and pushes them to open screens after the commit. */
export interface Notices {
  write(tx: Tx, news: News): Promise<void>
  /** The same for many traders, in one statement. */
  writeToAll(tx: Tx, userIds: readonly bigint[], news: NewsForAll): Promise<void>
  /** A different text for each, in one statement and only in the app. Returns the numbers of the notifications. */
  writeEach(tx: Tx, texts: readonly NewsText[], shared: Pick<Required<NewsForAll>, 'kind' | 'path'>): Promise<bigint[]>
}

/** One of many notifications. */
type NewsText = Pick<News, 'userId' | 'title' | 'text'>

export function openNotices(deps: NoticesDeps): Notices {
  return {
    write: (tx, { userId, ...news }) => writeToAll(tx, [userId], news),
    writeToAll,
    writeEach,
  }

  async function writeEach(
    tx: Tx,
    texts: readonly NewsText[],
    { kind, path }: Pick<Required<NewsForAll>, 'kind' | 'path'>,
  ): Promise<bigint[]> {
    const { rows } = await sql<{ id: bigint; at: Date }>`
      insert into notices (user_id, kind, title, text, path)
      select t.user_id, ${kind}, t.title, t.text, ${path}
      from unnest(${texts.map(({ userId }) => userId)}::bigint[], ${texts.map(({ title }) => title)}::text[],
        ${texts.map(({ text }) => text)}::text[]) with ordinality t(user_id, title, text, place)
      order by t.place returning id, at`.execute(tx)
    // Numbers are given in the order of the texts.
    const written = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    texts.forEach(({ userId, title, text }, i) => {
      const { id, at } = must(written[i])
      push(tx, userId, { id: String(id), kind, title, text, path, at: at.toISOString(), read: false })
    })
    return written.map(({ id }) => id)
  }

  function push(tx: Tx, userId: bigint, data: Notice): void {
    deps.push.afterCommit(tx, userId, { op: 'notice', data })
  }

  async function writeToAll(tx: Tx, userIds: readonly bigint[], news: NewsForAll): Promise<void> {
    if (userIds.length === 0) return
    const { kind, title, text } = news
    const path = news.path ?? ''
    const emails = news.quiet ? sql`` : sql`, emails as (${mailsOf(tx, userIds, news)})`
    const { rows } = await sql<{ user_id: bigint; id: bigint; at: Date }>`
      with written as (
        insert into notices (user_id, kind, title, text, path)
        select user_id, ${kind}, ${title}, ${text}, ${path} from unnest(${userIds}::bigint[]) as user_id
        returning user_id, id, at
      )${emails}
      select user_id, id, at from written`.execute(tx)
    for (const { user_id, id, at } of rows)
      push(tx, user_id, { id: String(id), kind, title, text, path, at: at.toISOString(), read: false })
  }

  function mailsOf(tx: Tx, userIds: readonly bigint[], news: NewsForAll) {
    const {
      actionLabel,
      paragraphs,
      after = ["If you didn't expect this, change your password and contact us."],
      ...more
    } = news.mail ?? { actionLabel: 'View details', paragraphs: [news.text] }
    const draft: MailDraft = {
      // The query below provides the addresses.
      to: '',
      subject: news.title,
      // What the owner must learn of is never dropped: a change of their sign-in, or money that leaves.
      budget: news.kind === 'security' || news.kind === 'withdraw' ? 'none' : 'usual',
      paragraphs: ['Hello,', ...paragraphs],
      ...more,
      ...(news.path === undefined ? {} : { action: { label: actionLabel, url: `${deps.publicUrl()}${news.path}` } }),
      after,
    }
    // Someone else may have registered an unconfirmed address: don't e-mail its owner about security.
    const addresses = deps.addressesOf(userIds, { confirmed: news.kind === 'security' })
    return deps.mail.mailsTo(tx, addresses, composeMail(draft, deps.brand))
  }
}
