import type { Db } from '../database/db.ts'
import { sql } from '../database/db.ts'
import type { Log } from '../process/log.ts'
import { type Loop, startLoop } from '../process/loop.ts'

const BATCH = 10
const POLL_MS = 2_000
/** Longer than all timeouts of one delivery together, so that no e-mail is leased twice while it is being sent. */
const LEASE_SECONDS = 120
const ATTEMPTS_MAX = 12
const KEEP_DAYS = 30
/** An e-mail older than this is out of date (and was perhaps written while there was no mail server). */
const STALE_DAYS = 2

interface SmtpOptions {
  db: Db
  log: Log
  /** `smtp://` or `smtps://`, with credentials. */
  smtpUrl: string
  from: { name: string; address: string }
  /** Milliseconds between outbox checks; `wake` skips the wait. */
  pollMs?: number
  /** How long a mail server may be silent before the e-mail is retried later, in milliseconds. */
  patienceMs?: number
}

const PATIENCE_MS = 15_000

/**
 * Delivers e-mails from the outbox to the mail server. An e-mail is leased, sent, then marked: one that was sent just
 * before a crash is sent again. Permanent errors (5xx) are not retried; anything else is, with growing pauses, for
 * about two days.
 */
export function startMailWorker(options: SmtpOptions): Loop {
  const patienceMs = options.patienceMs ?? PATIENCE_MS
  let transport: ReturnType<typeof open> | undefined
  /** The library is loaded by the first e-mail: the engine would pay its time and memory at the start. */
  async function open() {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: options.smtpUrl,
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  const loop = startLoop('mail', options.pollMs ?? POLL_MS, options.log, async () => {
    await giveUpStaleMails(options.db)
    for (;;) {
      const due = await leaseDueMails(options.db)
      for (const mail of due) await deliver(mail)
      if (due.length < BATCH) break
    }
    await forgetOldMails(options.db)
  })

  async function deliver(mail: LeasedMail): Promise<void> {
    try {
      transport ??= open()
      await (await transport).sendMail({
        from: options.from,
        // An object, never text: text such as 'a@b\r\nBcc: c@d' would be read as several addresses.
        to: { name: '', address: mail.recipient },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
      })
      await markSent(options.db, mail.id)
    } catch (error) {
      const permanent = isPermanent(error) || mail.attempts >= ATTEMPTS_MAX
      const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
      options.log.warn(
        { mail: String(mail.id), attempt: mail.attempts, permanent, reason },
        'an e-mail was not accepted',
      )
      await markNotTaken(options.db, mail, reason, permanent)
    }
  }

  return {
    wake: () => loop.wake(),
    async stop() {
      await loop.stop()
      ;(await transport)?.close()
    },
  }
}

interface LeasedMail {
  id: bigint
  recipient: string
  subject: string
  text: string
  html: string
  attempts: number
}

const leaseDueMails = async (db: Db): Promise<LeasedMail[]> => {
  const { rows } = await sql<LeasedMail>`
    update mails set attempts = attempts + 1, next_attempt_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where id in (
      select id from mails where state = 'waiting' and next_attempt_at <= (select clock_timestamp())
      order by next_attempt_at limit ${BATCH} for update skip locked)
    returning id, recipient, subject, text, html, attempts`.execute(db)
  return rows
}

// Delete the body once an e-mail has been sent: it may hold a link that still works.
const markSent = (db: Db, id: bigint) =>
  sql`update mails set state = 'sent', text = '', html = '', links = '{}', last_error = null, finished_at = clock_timestamp()
      where id = ${id}`.execute(db)

const markNotTaken = (db: Db, mail: LeasedMail, reason: string, permanent: boolean) =>
  permanent
    ? sql`update mails set state = 'failed', text = '', html = '', links = '{}', last_error = ${reason},
            finished_at = clock_timestamp() where id = ${mail.id}`.execute(db)
    : sql`update mails set last_error = ${reason},
            next_attempt_at = clock_timestamp() + make_interval(secs => ${retryAfterSeconds(mail.attempts)})
          where id = ${mail.id}`.execute(db)

const giveUpStaleMails = (db: Db) =>
  sql`update mails set state = 'failed', text = '', html = '', links = '{}', last_error = 'too old',
        finished_at = clock_timestamp()
      where state = 'waiting' and created_at < (select clock_timestamp()) - make_interval(days => ${STALE_DAYS})`.execute(
    db,
  )

const forgetOldMails = (db: Db) =>
  sql`delete from mails where state <> 'waiting' and finished_at < (select clock_timestamp()) - make_interval(days => ${KEEP_DAYS})`.execute(
    db,
  )

/** 5 s, 20 s, 80 s ... at most 6 hours. */
export const retryAfterSeconds = (attempts: number): number => Math.min(5 * 4 ** (attempts - 1), 21_600)

/**
 * Returns whether the mail server rejected the e-mail permanently. A failed login is not the e-mail's fault: it is
 * retried.
 */
export function isPermanent(error: unknown): boolean {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  return responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
}
