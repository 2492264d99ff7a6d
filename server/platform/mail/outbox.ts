import { type RawBuilder, sql } from 'kysely'
import { must } from '#kernel/must.ts'
import type { Db, Tx } from '../database/db.ts'

/** An e-mail that is ready to send. */
export interface Mail {
  /** One address, validated by the contract. No display names, since users choose them. */
  to: string
  subject: string
  text: string
  html: string
  /** The links in the e-mail. */
  links: string[]
  /**
   * Which of the recipient's budgets it counts against. What strangers can cause has its own: `confirm` for links that
   * confirm an address, `reply` for answers to visitors. `none`: never dropped. For e-mails about security, for links
   * that their caller bounds, and for operators' mailboxes.
   */
  budget?: Budget
}

type Budget = 'usual' | 'confirm' | 'reply' | 'none'

/** Maximum e-mails to one recipient per hour. Further ones are dropped, and recorded once an hour. */
const PER_HOUR: Record<Exclude<Budget, 'none'>, number> = { usual: 20, confirm: 10, reply: 10 }

/** An e-mail as the mailbox shows it. `at`: ISO 8601. */
export interface KeptMail extends Omit<Mail, 'budget'> {
  at: string
}

/**
 * Writes e-mails in the transaction of the change they report: both happen or neither. Beyond the recipient's budget it
 * writes only that they were dropped, so nobody can make us flood a mailbox. The worker is woken after the commit.
 */
export interface Outbox {
  /** Returns the e-mail's id; undefined if it was dropped. */
  enqueue(tx: Tx, mail: Mail): Promise<bigint | undefined>
  /** Returns SQL that writes an e-mail to each address that `addresses` selects, as part of a larger statement. */
  mailsTo(tx: Tx, addresses: RawBuilder<unknown>, mail: Omit<Mail, 'to'>): RawBuilder<unknown>
}

/** `wake`: wakes the worker that delivers the e-mails. */
export function openOutbox(wake: () => void): Outbox {
  const mailsTo: Outbox['mailsTo'] = (tx, addresses, mail) => {
    tx.afterCommit(wake, { once: 'mail' })
    return insertMails(addresses, mail)
  }
  return {
    mailsTo,
    async enqueue(tx, mail) {
      const written = mailsTo(tx, sql`select ${mail.to}::text`, mail)
      const { rows } = await sql<{ id: bigint }>`${written} returning id`.execute(tx)
      return rows[0]?.id
    },
  }
}

function insertMails(addresses: RawBuilder<unknown>, mail: Omit<Mail, 'to'>): RawBuilder<unknown> {
  const { subject, text, html, links, budget = 'usual' } = mail
  if (budget === 'none')
    return sql`
      insert into mails (recipient, subject, text, html, links, budget)
      select a.address, ${subject}, ${text}, ${html}, ${links}::text[], 'none' from (${addresses}) a(address)`
  return sql`
    insert into mails (recipient, subject, text, html, links, budget, state, last_error)
    select a.address, ${subject}, case when fits then ${text} else '' end, case when fits then ${html} else '' end,
      case when fits then ${links}::text[] else '{}' end, ${budget}::mail_budget,
      (case when fits then 'waiting' else 'failed' end)::mail_state, case when fits then null else ${DROPPED} end
    from (${addresses}) a(address), lateral (
      select count(*) filter (where newest.last_error is distinct from ${DROPPED}) < ${PER_HOUR[budget]} as fits,
        bool_or(newest.last_error = ${DROPPED}) as is_recorded
      from (${newestOf(sql`a.address`, budget)}) newest where newest.created_at > clock_timestamp() - interval '1 hour'
    ) hour
    where fits or is_recorded is not true`
}

const DROPPED = 'over the hourly limit'

/** Only the recipient's newest e-mails of a budget, however many are stored: an hour's, and the record of those dropped. */
const newestOf = (address: RawBuilder<unknown>, budget: Exclude<Budget, 'none'>) => sql`
  select m.created_at, m.last_error from mails m
  where lower(m.recipient) = lower(${address}) and m.budget = ${budget} order by m.id desc limit ${PER_HOUR[budget] + 1}`

/** An e-mail that was dropped, the first of its hour, recipient and budget. */
interface DroppedMail {
  id: bigint
  subject: string
  budget: string
}

/** Marks dropped e-mails as recorded, in the transaction that records them, and returns them. */
export async function takeDropped(tx: Tx): Promise<DroppedMail[]> {
  const { rows } = await sql<DroppedMail>`
    update mails set finished_at = clock_timestamp() where id in (
      select id from mails where state = 'failed' and finished_at is null order by id limit 100 for update skip locked)
    returning id, subject, budget`.execute(tx)
  return rows.sort((a, b) => Number(a.id - b.id))
}

/** Returns the newest e-mails, newest first; only those to one address if `to` is given (case-insensitive). */
export async function newestMails(db: Db, to: string | undefined, limit: number): Promise<KeptMail[]> {
  const rows = await db
    .selectFrom('mails')
    .select(['recipient', 'subject', 'text', 'html', 'links', 'created_at'])
    .where('text', '<>', '')
    .$if(to !== undefined, (query) => query.where(sql`lower(recipient)`, '=', must(to).toLowerCase()))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    to: row.recipient,
    subject: row.subject,
    text: row.text,
    html: row.html,
    links: row.links,
    at: row.created_at.toISOString(),
  }))
}
