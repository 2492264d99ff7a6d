import { buildPushPayload } from '@block65/webcrypto-web-push'
import type { Notice } from '#contract/messages/notices.ts'
import { isSessionActive } from '../identity/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { PushKey } from './push-key.ts'
import type { PushServices, Sent } from './push-service.ts'

const BATCH = 20
/** Commits wake it; this is for wake-ups that were lost, and for what is sent again. */
const POLL_MS = 5_000
/** Longer than a push service may take. */
const LEASE_SECONDS = 30
const ATTEMPTS_MAX = 6
/** What wakes a phone that saves power. */
const URGENT: readonly Notice['kind'][] = ['alert', 'security', 'trade-ending']
/** How long a notification says something new, also at the push service. */
const keepSeconds = (kind: Notice['kind']): number => (kind === 'trade-ending' ? 60 : 6 * 3_600)
/** So that title, text and address fit into a message, which holds 3,993 bytes. */
const TEXT_BYTES_MAX = 2_400

interface SenderOptions {
  db: Db
  log: Log
  key: PushKey
  services: PushServices
  publicUrl: () => string
  /** How push services reach the operator: `mailto:` and an address. */
  contact: string
  pollMs?: number
}

interface DueMessage extends Pick<Notice, 'kind' | 'title' | 'text' | 'path'> {
  id: bigint
  subscription_id: bigint
  tag: string
  attempts: number
  endpoint: string
  public_key: Buffer
  auth_secret: Buffer
  is_active: boolean
  age_seconds: number
}

/**
 * Sends the messages in `push_messages`: leased, sent, then deleted, so a crash between the two shows a notification twice
 * under the same tag, which is once. A browser that gave up its subscription is forgotten.
 */
export function startPushSender(options: SenderOptions): Loop {
  return startLoop('push messages', options.pollMs ?? POLL_MS, options.log, async () => {
    for (;;) {
      const due = await leaseDue(options.db)
      await Promise.all(due.map((message) => deliver(options, message)))
      if (due.length < BATCH) return
    }
  })
}

async function deliver(options: SenderOptions, message: DueMessage): Promise<void> {
  const { db, log } = options
  if (!message.is_active) return forgetSubscription(db, message)
  if (message.age_seconds > keepSeconds(message.kind) || message.attempts > ATTEMPTS_MAX) return forget(db, message)
  const sent = await send(options, message)
  if (sent.is === 'gone') return forgetSubscription(db, message)
  if (sent.is === 'later') {
    log.debug({ attempt: message.attempts, why: sent.why }, 'a push service did not take a message')
    return sendLater(db, message, sent)
  }
  if (sent.is === 'refused') log.warn({ why: sent.why }, 'a push service refused a message')
  return forget(db, message)
}

async function send({ key, services, publicUrl, contact, log }: SenderOptions, message: DueMessage): Promise<Sent> {
  const { endpoint, public_key, auth_secret, kind, age_seconds } = message
  const keys = { p256dh: public_key.toString('base64url'), auth: auth_secret.toString('base64url') }
  try {
    const { headers, body } = await buildPushPayload(
      {
        data: notificationOf(message, publicUrl()),
        options: {
          ttl: Math.max(1, keepSeconds(kind) - Math.floor(age_seconds)),
          urgency: URGENT.includes(kind) ? 'high' : 'normal',
        },
      },
      { endpoint, expirationTime: null, keys },
      { subject: contact, ...key },
    )
    return await services.send(endpoint, { headers, body })
  } catch (error) {
    // A public key that is no point of the curve: nobody can decrypt what is sent to it.
    log.info({ why: error instanceof Error ? error.message : String(error) }, 'a push subscription is unusable')
    return { is: 'gone' }
  }
}

async function forget(db: Db, { id }: DueMessage): Promise<void> {
  await db.deleteFrom('push_messages').where('id', '=', id).execute()
}

/** Its messages go with it. */
async function forgetSubscription(db: Db, { subscription_id }: DueMessage): Promise<void> {
  await db.deleteFrom('push_subscriptions').where('id', '=', subscription_id).execute()
}

async function sendLater(db: Db, { id, attempts }: DueMessage, { seconds = 0 }: { seconds?: number }): Promise<void> {
  await sql`
    update push_messages
    set next_attempt_at = clock_timestamp() + make_interval(secs => ${Math.max(seconds, 5 * 4 ** (attempts - 1))})
    where id = ${id}`.execute(db)
}

async function leaseDue(db: Db): Promise<DueMessage[]> {
  const { rows } = await sql<DueMessage>`
    update push_messages m
    set attempts = m.attempts + 1, next_attempt_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    from push_subscriptions s
    where s.id = m.subscription_id and m.id in (
      select id from push_messages where next_attempt_at <= (select clock_timestamp())
      order by next_attempt_at limit ${BATCH} for update skip locked)
    returning m.id, m.subscription_id, m.tag, m.kind, m.title, m.text, m.path, m.attempts, s.endpoint, s.public_key,
      s.auth_secret, ${isSessionActive(sql.ref('s.session_id'))} as is_active,
      extract(epoch from clock_timestamp() - m.created_at)::float8 as age_seconds`.execute(db)
  return rows
}

/**
 * A declarative push message: a browser that knows the form shows it without our service worker, the others hand it to
 * that. https://www.w3.org/TR/push-api/#declarative-push-message
 */
function notificationOf({ title, text, path, tag }: DueMessage, publicUrl: string) {
  return {
    web_push: 8030,
    notification: {
      title,
      body: cutToBytes(text, TEXT_BYTES_MAX),
      navigate: `${publicUrl}${path === '' ? '/user/home' : path}`,
      tag,
      lang: 'en',
      dir: 'auto' as const,
    },
  }
}

/** Cuts a text to a number of UTF-8 bytes, never within a character. */
function cutToBytes(text: string, max: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= max) return text
  return `${bytes
    .subarray(0, max - 3)
    .toString()
    .replace(/\uFFFD+$/, '')}…`
}
