import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { SUBSCRIPTIONS_MAX } from '#contract/messages/web-push.ts'
import { first } from '#kernel/must.ts'
import { startPushService } from '#tests/support/outside/push-service.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { createLog } from '../platform/process/log.ts'
import { openPushOutbox, openPushServices, pushKey, startPushSender, webPushRoutes } from './index.ts'
import { isPublicAddress } from './push-service.ts'
import { subscribe } from './subscriptions.ts'

const KEY = pushKey(Buffer.alloc(32, 7), undefined)

/** An account with a session, a browser of it, and the loop that sends to the browser's push service. */
async function openScene({ patienceMs = 5_000 }: { patienceMs?: number } = {}) {
  const { db } = await testDatabase({ max: 10 })
  const service = await startPushService()
  await inTransaction(db, async (tx) => {
    await openUser(tx, 1n)
    await openUser(tx, 2n)
  })
  const openSession = async (userId: bigint) => {
    const { rows } = await sql<{ id: bigint }>`
      insert into sessions (user_id, remembered, device, address, expires_at)
      values (${userId}, true, 'Firefox', '127.0.0.1', clock_timestamp() + interval '1 day') returning id`.execute(db)
    return { userId, sessionId: first(rows).id, isGuest: false }
  }
  const services = openPushServices([service.origin], { ca: service.ca, patienceMs })
  const send = openPushOutbox(() => undefined)
  const sender = startPushSender({
    db,
    log: createLog('silent'),
    key: KEY,
    services,
    publicUrl: () => 'https://cleartick.example',
    contact: 'mailto:support@cleartick.example',
    pollMs: 20,
  })
  const add = async (who: Awaited<ReturnType<typeof openSession>>, name?: string) => {
    const { endpoint, keys } = service.subscription(name)
    const decoded = (text: string) => Buffer.from(text, 'base64url')
    await inTransaction(db, (tx) =>
      subscribe(tx, who, { endpoint, publicKey: decoded(keys.p256dh), authSecret: decoded(keys.auth) }),
    )
  }
  const notify = (userId: bigint, more: { text?: string } = {}) =>
    inTransaction(db, (tx) =>
      send(tx, [
        {
          userId,
          kind: 'trade',
          title: 'BTCUSDT rose',
          text: 'It is at 70,000.',
          path: '/user/history',
          ...more,
        },
      ]),
    )
  const count = async (table: 'push_messages' | 'push_subscriptions') =>
    (await db.selectFrom(table).select('id').execute()).length
  const empty = () => expect.poll(() => count('push_messages'), { interval: 20 }).toBe(0)
  const soon = () => sql`update push_messages set next_attempt_at = clock_timestamp()`.execute(db)
  const routes = webPushRoutes({ db, brand: 'Cleartick', key: KEY, services, send })
  return {
    ...{ db, service, services, openSession, add, notify, count, empty, soon, routes },
    async stop() {
      await sender.stop()
      services.stop()
    },
  }
}

test('a notice arrives encrypted, signed and once at each browser of its owner', async () => {
  const scene = await openScene()
  const [one, two] = [await scene.openSession(1n), await scene.openSession(2n)]
  await scene.add(one, 'laptop')
  await scene.add(one, 'phone')
  await scene.add(two, 'other')
  expect(await scene.notify(1n)).toBe(2)
  await scene.empty()
  expect(scene.service.faults).toEqual([])
  expect(scene.service.received.map(({ path }) => path).toSorted()).toEqual(['/push/laptop', '/push/phone'])
  const { message, claims, key, ttl } = first(scene.service.received)
  expect(message).toEqual({
    web_push: 8030,
    notification: {
      title: 'BTCUSDT rose',
      body: 'It is at 70,000.',
      navigate: 'https://cleartick.example/user/history',
      tag: expect.any(String),
      lang: 'en',
      dir: 'auto',
    },
  })
  expect(claims.sub).toBe('mailto:support@cleartick.example')
  expect(key).toBe(KEY.publicKey)
  expect(ttl).toBeGreaterThan(3_600)
  await scene.stop()
})

test('the longest text fits, cut between two characters', async () => {
  const scene = await openScene()
  await scene.add(await scene.openSession(1n))
  await scene.notify(1n, { text: '🙂'.repeat(1_000) })
  await scene.empty()
  expect(scene.service.faults).toEqual([])
  const { body } = first(scene.service.received).message.notification
  expect(body).toMatch(/^(🙂)+…$/u)
  expect(body.length).toBeGreaterThan(1_000)
  await scene.stop()
})

test.for([404, 410])('a browser whose push service answers %i is forgotten', async (status) => {
  const scene = await openScene()
  scene.service.answer = (response) => void response.writeHead(status).end()
  await scene.add(await scene.openSession(1n))
  await scene.notify(1n)
  await scene.empty()
  expect(await scene.count('push_subscriptions')).toBe(0)
  expect(scene.service.calls).toBe(1)
  await scene.stop()
})

test('a push service that is busy is asked again later; what it refuses is not', async () => {
  const scene = await openScene()
  const answers = [503, 429, 201, 400]
  scene.service.answer = (response) =>
    void response.writeHead(answers.shift() ?? 500, { 'retry-after': '100000' }).end()
  await scene.add(await scene.openSession(1n))
  await scene.notify(1n)
  for (const calls of [1, 2, 3]) {
    await expect.poll(() => scene.service.calls).toBe(calls)
    if (calls === 3) break
    await expect
      .poll(
        async () =>
          (
            await sql<{ later: boolean }>`
        select next_attempt_at between clock_timestamp() + interval '50 minutes' and clock_timestamp() + interval '1 hour' as later
        from push_messages`.execute(scene.db)
          ).rows,
      )
      .toEqual([{ later: true }])
    await scene.soon()
  }
  await scene.empty()
  await scene.notify(1n)
  await scene.empty()
  expect(scene.service.calls).toBe(4)
  expect(await scene.count('push_subscriptions')).toBe(1)
  await scene.stop()
})

test('a redirect is not followed', async () => {
  const scene = await openScene()
  const elsewhere = await startPushService()
  scene.service.answer = (response) =>
    void response.writeHead(307, { location: `${elsewhere.origin}/push/browser` }).end()
  await scene.add(await scene.openSession(1n))
  await scene.notify(1n)
  await scene.empty()
  expect([scene.service.calls, elsewhere.calls]).toEqual([1, 0])
  await scene.stop()
})

test('a push service that never answers is given up, and the next message is sent', async () => {
  const scene = await openScene({ patienceMs: 300 })
  scene.service.answer = (response) => {
    if (scene.service.calls > 1) response.writeHead(201).end()
  }
  await scene.add(await scene.openSession(1n))
  await scene.notify(1n)
  await expect.poll(() => scene.service.calls).toBe(1)
  await scene.notify(1n)
  await expect.poll(() => scene.count('push_messages')).toBe(1)
  await scene.soon()
  await scene.empty()
  await scene.stop()
})

test('nothing is sent to a browser whose session has ended, or that waits for too much already', async () => {
  const scene = await openScene()
  const who = await scene.openSession(1n)
  await scene.add(who)
  await scene.stop()
  for (let n = 0; n < 60; n++) await scene.notify(1n)
  expect(await scene.count('push_messages')).toBe(50)
  await sql`update sessions set ended_at = clock_timestamp(), end_reason = 'signed_out' where id = ${who.sessionId}`.execute(
    scene.db,
  )
  expect(await scene.notify(1n)).toBe(0)
  const after = startPushSender({
    ...{ db: scene.db, log: createLog('silent'), key: KEY, contact: 'mailto:a@b.example', pollMs: 20 },
    services: openPushServices([scene.service.origin], { ca: scene.service.ca }),
    publicUrl: () => 'https://cleartick.example',
  })
  await scene.empty()
  await after.stop()
  expect(scene.service.calls).toBe(0)
  expect(await scene.count('push_subscriptions')).toBe(0)
})

test('no browser subscribes once its session or its account has ended', async () => {
  const scene = await openScene()
  const [out, closed] = [await scene.openSession(1n), await scene.openSession(2n)]
  await sql`update sessions set ended_at = clock_timestamp(), end_reason = 'signed_out' where id = ${out.sessionId}`.execute(
    scene.db,
  )
  await sql`update users set ended_at = clock_timestamp() where id = ${closed.userId}`.execute(scene.db)
  for (const who of [out, closed]) await expect(scene.add(who)).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(await scene.count('push_subscriptions')).toBe(0)
  await scene.stop()
})

test('an account has at most ten browsers, also when they subscribe at the same time', async () => {
  const scene = await openScene()
  const who = await scene.openSession(1n)
  await Promise.all(Array.from({ length: 14 }, (_, n) => scene.add(who, `browser-${n}`)))
  await scene.add(who, 'newest')
  await scene.add(who, 'newest')
  const rows = await scene.db.selectFrom('push_subscriptions').select('endpoint').orderBy('id', 'desc').execute()
  expect(rows).toHaveLength(SUBSCRIPTIONS_MAX)
  expect(rows.map(({ endpoint }) => endpoint)).toContain(scene.service.subscription('newest').endpoint)
  await scene.stop()
})

test('only push services are called, and none inside of the network', async () => {
  const services = openPushServices(['https://localhost:4443'])
  const known = [
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-par02p.notify.windows.com/w/?token=abc',
    'https://localhost:4443/push/x',
  ]
  const unknown = [
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/fcm/send/abc',
    'https://fcm.googleapis.com.evil.example/abc',
    'https://evilpush.apple.com/abc',
    'https://user@fcm.googleapis.com/abc',
    'https://localhost/push/x',
    'https://169.254.169.254/latest/meta-data',
    'not an address',
  ]
  expect(known.filter((one) => !services.knows(one))).toEqual([])
  expect(unknown.filter((one) => services.knows(one))).toEqual([])
  expect(await services.send(unknown[6]!, { headers: {}, body: randomBytes(8) })).toEqual({ is: 'gone' })
  const inside = [
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '172.20.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
  ]
  const insideV6 = [
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '2002:a00:1::',
    '2001:db8::1',
    '64:ff9b::a00:1',
  ]
  expect([...inside, ...insideV6].filter(isPublicAddress)).toEqual([])
  expect(['142.250.74.10', '17.57.144.1', '2a00:1450:4001:80b::200a'].filter((ip) => !isPublicAddress(ip))).toEqual([])
  services.stop()
})

test('every node derives the same key, and a setting gives another', () => {
  expect(pushKey(Buffer.alloc(32, 7), undefined)).toEqual(KEY)
  expect(pushKey(Buffer.alloc(32, 8), undefined).publicKey).not.toBe(KEY.publicKey)
  const given = randomBytes(32)
  expect(pushKey(Buffer.alloc(32, 7), given.toString('hex')).privateKey).toBe(given.toString('base64url'))
  expect(Buffer.from(KEY.publicKey, 'base64url')).toHaveLength(65)
})
