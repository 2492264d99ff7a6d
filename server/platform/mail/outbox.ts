import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db.ts'

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
   * `link`: a one-time link that its recipient waits for; it is sent even if other e-mails used up their share.
   * `operator`: to the operator's own mailbox, without a limit.
   */
  budget?: 'link' | 'operator'
}

/**
 * Maximum e-mails to one recipient per hour. Further ones are skipped: the app's notices still contain the same
 * information.
 */
const PER_HOUR = { usual: 20, link: 30 } as const

/** An e-mail as the mailbox shows it. `at`: ISO 8601. */
export interface KeptMail extends Omit<Mail, 'budget'> {
  at: string
}

/**
 * Writes e-mails in the transaction of the change they report: both happen or neither. Writes nothing beyond the
 * recipient's budget, so nobody can make us flood a mailbox. The worker is woken after the commit.
 */
export interface Outbox {
  enqueue(tx: Tx, mail: Mail): Promise<void>
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
      await mailsTo(tx, sql`select ${mail.to}::text`, mail).execute(tx)
    },
  }
}

const insertMails = (addresses: RawBuilder<unknown>, { subject, text, html, links, budget }: Omit<Mail, 'to'>) => sql`
  insert into mails (recipient, subject, text, html, links)
  select a.address, ${subject}, ${text}, ${html}, ${links}::text[] from (${addresses}) a(address)
  where ${budget === 'operator' ? sql`true` : withinBudget(sql`a.address`, PER_HOUR[budget ?? 'usual'])}`

/** Checks only the recipient's newest e-mails, however many are stored. */
const withinBudget = (address: RawBuilder<unknown>, perHour: number) => sql`(
  select count(*) from (
    select m.created_at from mails m where lower(m.recipient) = lower(${address}) order by m.id desc limit ${perHour}
  ) newest where newest.created_at > clock_timestamp() - interval '1 hour') < ${perHour}`

/** Returns the newest e-mails, newest first; only those to one address if `to` is given (case-insensitive). */
export async function newestMails(db: Db, to: string | undefined, limit: number): Promise<KeptMail[]> {
  const rows = await db
    .selectFrom('mails')
    .select(['recipient', 'subject', 'text', 'html', 'links', 'created_at'])
    .$if(to !== undefined, (query) => query.where(sql`lower(recipient)`, '=', to!.toLowerCase()))
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
