import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db.ts'

/** A letter that is ready to leave. */
export interface Mail {
  /** One address, checked by the contract; there are no names beside it, since names are what users type. */
  to: string
  subject: string
  text: string
  html: string
  /** The addresses the letter asks to open. */
  links: string[]
  /**
   * `link`: a one-time link that its recipient waits for; it still goes out after other e-mails used up their share.
   * `operator`: to the operator's own mailbox, without a limit.
   */
  budget?: 'link' | 'operator'
}

/** E-mails to one recipient within an hour. Beyond them an e-mail is left out: the app's notices still say it all. */
const PER_HOUR = { usual: 20, link: 30 } as const

/** A letter as the mailbox shows it. `at`: ISO 8601. */
export interface KeptMail extends Omit<Mail, 'budget'> {
  at: string
}

/**
 * Writes a letter into the outbox, in the transaction of what it tells: both happen or neither. Beyond the recipient's
 * budget nothing is written: nobody can make us flood a mailbox.
 */
export async function enqueue(tx: Tx, mail: Mail): Promise<void> {
  await lettersTo(sql`select ${mail.to}::text`, mail).execute(tx)
}

/** A letter to each address that `addresses` selects, as SQL for a statement that does more than that. */
export const lettersTo = (
  addresses: RawBuilder<unknown>,
  { subject, text, html, links, budget }: Omit<Mail, 'to'>,
) => sql`
  insert into mails (recipient, subject, text, html, links)
  select a.address, ${subject}, ${text}, ${html}, ${links}::text[] from (${addresses}) a(address)
  where ${budget === 'operator' ? sql`true` : withinBudget(sql`a.address`, PER_HOUR[budget ?? 'usual'])}`

/** Looks only at the recipient's newest e-mails, however many were kept. */
const withinBudget = (address: RawBuilder<unknown>, perHour: number) => sql`(
  select count(*) from (
    select m.created_at from mails m where lower(m.recipient) = lower(${address}) order by m.id desc limit ${perHour}
  ) newest where newest.created_at > clock_timestamp() - interval '1 hour') < ${perHour}`

/** The newest letters, newest first; to one address only where `to` is given (without case). */
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
