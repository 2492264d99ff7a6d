import type { z } from 'zod/mini'
import type { ContactBody } from '#contract/messages/support.ts'
import { HOUR_MS } from '#kernel/time.ts'
import { type Db, inTransaction, sql, type Tx } from '../platform/database/db.ts'
import { networkOf } from '../platform/http/limits/network.ts'
import type { RateLimit, RateLimits } from '../platform/http/limits/rate-limit.ts'
import { composeMail, type Outbox } from '../platform/mail/index.ts'

export interface ContactDeps {
  db: Db
  brand: string
  /** Receives the e-mails. */
  supportEmail: string
  mail: Outbox
  limits: ContactLimits
}

interface ContactLimits {
  fromNetwork: RateLimit
  ofEmail: RateLimit
}

export function contactLimits(limits: RateLimits): ContactLimits {
  const limit = (by: string) =>
    limits(`contact messages of ${by}`, {
      max: 5,
      windowMs: HOUR_MS,
      message: "You've sent several messages already. Wait a while and try again.",
    })
  return { fromNetwork: limit('a network'), ofEmail: limit('an address') }
}

/**
 * Stores a message for the desk and e-mails it to support. Visitor input never goes into e-mail headers: the visitor's
 * address is in the body.
 */
export async function takeMessage(
  deps: ContactDeps,
  { name, email, message, website }: z.infer<typeof ContactBody>,
  from: { ip: string },
): Promise<void> {
  const network = networkOf(from.ip)
  // Count before the work, by address and network, so that nobody can use up another's limit.
  deps.limits.fromNetwork.take(network)
  deps.limits.ofEmail.take(`${email.toLowerCase()} ${network}`)
  // Honeypot: only bots fill the hidden field. They get the usual response, and nothing is stored.
  if (website) return
  await inTransaction(deps.db, async (tx) => {
    const kept = await tx
      .insertInto('contact_messages')
      .values({ name: name.toWellFormed(), email, message: message.toWellFormed() })
      .returning('id')
      .executeTakeFirstOrThrow()
    const draft = {
      to: deps.supportEmail,
      subject: `Message ${kept.id} from the contact form`,
      budget: 'none' as const,
      paragraphs: [`${name} wrote from an unverified address: ${email}`, message],
      after: ['Reply at the desk, so that everyone sees it.'],
    }
    await deps.mail.enqueue(tx, composeMail(draft, deps.brand))
  })
}

/** Stores the desk's reply to a message and e-mails it. The message stays open. */
export async function replyToContact(
  deps: Pick<ContactDeps, 'brand' | 'mail'>,
  tx: Tx,
  reply: { messageId: bigint; operatorId: bigint; to: string; text: string },
): Promise<void> {
  await tx
    .insertInto('contact_replies')
    .values({ message_id: reply.messageId, operator_id: reply.operatorId, text: reply.text.toWellFormed() })
    .execute()
  const draft = {
    to: reply.to,
    subject: `Your message to ${deps.brand}`,
    budget: 'reply' as const,
    paragraphs: reply.text.split(/\n{2,}/),
    after: ['This answers the message that you sent through our contact form.'],
  }
  await deps.mail.enqueue(tx, composeMail(draft, deps.brand))
}

/** Closes a message. Returns false when it is already closed. */
export async function closeContact(tx: Tx, messageId: bigint): Promise<boolean> {
  const row = await tx
    .updateTable('contact_messages')
    .set({ status: 'Closed', closed_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', messageId)
    .where('status', '=', 'Open')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
