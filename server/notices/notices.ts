import type { RawBuilder } from 'kysely'
import { NOTICE_DEFAULTS, type Notice } from '#contract/messages/notices.ts'
import { publicId } from '#kernel/id.ts'
import { first, must } from '#kernel/must.ts'
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

/** One of many notifications. Its path is the one that all share unless it has its own. */
type NewsText = Pick<News, 'userId' | 'title' | 'text' | 'path'>

/** A notification whose owner wants it as a push message. */
export interface PushedNotice extends Pick<News, 'userId' | 'title' | 'text'> {
  kind: Notice['kind']
  path: string
}

interface NoticesDeps {
  brand: string
  publicUrl(): string
  mail: Outbox
  /** Selects addresses of the users that a query selects: not those of closed accounts, and with `confirmed` only confirmed ones. */
  addressesOf(users: RawBuilder<unknown>, options: { confirmed: boolean }): RawBuilder<unknown>
  push: Pick<Push, 'afterCommit'>
  /** Called in the transaction with the notifications whose owners want them as push messages. */
  webPush?: (tx: Tx, notices: readonly PushedNotice[]) => Promise<unknown>
}

/**
 * Writes notifications in the transaction that causes them, and pushes them to open screens after the commit. Each goes
 * where its owner wants notifications of its kind.
 */
export interface Notices {
  write(tx: Tx, news: News): Promise<void>
  /** The same for many traders, in one statement. */
  writeToAll(tx: Tx, userIds: readonly bigint[], news: NewsForAll): Promise<void>
  /**
   * A different text for each. Returns the numbers of the notifications in the app, null where their owner wants none
   * there.
   */
  writeEach(
    tx: Tx,
    texts: readonly NewsText[],
    shared: Pick<Required<NewsForAll>, 'kind' | 'path'>,
  ): Promise<(bigint | null)[]>
}

/** Where a notification about one trade leads. */
export const pathOfTrade = (id: bigint): `/user/${string}` => `/user/trade-history?trade=${publicId(id)}`

export function openNotices(deps: NoticesDeps): Notices {
  const writeToAll: Notices['writeToAll'] = async (tx, userIds, news) => {
    if (userIds.length === 0) return
    const { title, text, kind, path = '', quiet } = news
    const texts = userIds.map((userId) => ({ userId, title, text }))
    const wanting = sql`select user_id from asked where email`
    await insert(deps, tx, texts, { kind, path }, quiet ? undefined : mailsOf(deps, tx, wanting, news))
  }
  return {
    write: (tx, { userId, ...news }) => writeToAll(tx, [userId], news),
    writeToAll,
    async writeEach(tx, texts, shared) {
      if (texts.length === 0) return []
      const written = await insert(deps, tx, texts, shared, undefined)
      const mailed = texts.filter((_, at) => written[at]?.email)
      for (const same of Map.groupBy(mailed, (one) => `${one.title}\n${one.text}\n${one.path}`).values()) {
        const { title, text, path = shared.path } = first(same)
        const users = sql`select unnest(${same.map(({ userId }) => userId)}::bigint[])`
        await mailsOf(deps, tx, users, { ...shared, path, title, text }).execute(tx)
      }
      return written.map(({ id }) => id)
    },
  }
}

interface Written {
  id: bigint | null
  at: Date | null
  email: boolean
  push: boolean
}

/**
 * Writes the notifications for those who want them in the app, and with `emails` what it inserts for those of `asked` who
 * want e-mails. Returns a row for each, in their order.
 */
async function insert(
  { push, webPush }: NoticesDeps,
  tx: Tx,
  texts: readonly NewsText[],
  { kind, path }: Pick<PushedNotice, 'kind' | 'path'>,
  emails: RawBuilder<unknown> | undefined,
): Promise<Written[]> {
  const usual = NOTICE_DEFAULTS[kind]
  const paths = texts.map((one) => one.path ?? path)
  const { rows } = await sql<Written>`
    with asked as materialized (
      select t.*, coalesce(p.in_app, ${usual.in_app}::boolean) as in_app, coalesce(p.email, ${usual.email}::boolean) as email,
        coalesce(p.push, ${usual.push}::boolean) as push
      from unnest(${texts.map(({ userId }) => userId)}::bigint[], ${texts.map(({ title }) => title)}::text[],
        ${texts.map(({ text }) => text)}::text[], ${paths}::text[]) with ordinality t(user_id, title, text, path, place)
      left join notice_preferences p on p.user_id = t.user_id and p.kind = ${kind}
    ), written as (
      insert into notices (user_id, kind, title, text, path)
      select user_id, ${kind}, title, text, path from asked where in_app order by place
      returning id, at
    )${emails ? sql`, emails as (${emails})` : sql``}
    -- Numbers are given in the order of the texts.
    select w.id, w.at, a.email, a.push
    from (select *, row_number() over (partition by in_app order by place) as nth from asked) a
    left join (select *, row_number() over (order by id) as nth from written) w on a.in_app and w.nth = a.nth
    order by a.place`.execute(tx)
  texts.forEach(({ userId, title, text }, i) => {
    const { id, at } = rows[i] ?? {}
    if (!id || !at) return
    const data = { id: String(id), kind, title, text, path: must(paths[i]), at: at.toISOString(), read: false }
    push.afterCommit(tx, userId, { op: 'notice', data })
  })
  const pushed = texts.map((one) => ({ ...one, kind, path: one.path ?? path })).filter((_, i) => rows[i]?.push)
  if (pushed.length > 0) await webPush?.(tx, pushed)
  return rows
}

/** Inserts the e-mails to the users that a query selects. */
function mailsOf(deps: NoticesDeps, tx: Tx, users: RawBuilder<unknown>, news: NewsForAll): RawBuilder<unknown> {
  const {
    actionLabel,
    paragraphs,
    after = ["If you didn't expect this, change your password and contact us."],
    ...more
  } = news.mail ?? { actionLabel: 'View details', paragraphs: [news.text] }
  const draft: MailDraft = {
    // The query provides the addresses.
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
  const addresses = deps.addressesOf(users, { confirmed: news.kind === 'security' })
  return deps.mail.mailsTo(tx, addresses, composeMail(draft, deps.brand))
}
