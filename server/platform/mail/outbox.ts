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
}

/** A letter as the mailbox shows it. `at`: ISO 8601. */
export interface KeptMail extends Mail {
  at: string
}

/** Writes a letter into the outbox, in the transaction of what it tells: both happen or neither. */
export async function enqueue(tx: Tx, mail: Mail): Promise<void> {
  await tx
    .insertInto('mails')
    .values({ recipient: mail.to, subject: mail.subject, text: mail.text, html: mail.html, links: mail.links })
    .execute()
}

/** A letter to each address that `addresses` selects, as SQL for a statement that does more than that. */
export const lettersTo = (addresses: RawBuilder<unknown>, { subject, text, html, links }: Omit<Mail, 'to'>) => sql`
  insert into mails (recipient, subject, text, html, links)
  select a.address, ${subject}, ${text}, ${html}, ${links}::text[] from (${addresses}) a(address)`

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
