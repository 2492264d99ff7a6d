import { type AddressInfo, createServer } from 'node:net'
import Fastify from 'fastify'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { startSmtp } from '#tests/support/outside/smtp.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { type Db, inTransaction } from '../database/db.ts'
import { createLog } from '../process/log.ts'
import { composeMail, mailboxPlugin, openOutbox, startMailWorker, takeDropped } from './index.ts'
import type { Mail } from './outbox.ts'
import { isPermanent, retryAfterSeconds } from './worker.ts'

const LINK = 'http://localhost:3000/verify-email?hash=abc&x="1"'
const draft = (to: string, paragraph = 'Hello.') =>
  composeMail({ to, subject: 'A message', paragraphs: [paragraph], action: { label: 'Open', url: LINK } }, 'Cleartick')
const { enqueue } = openOutbox(() => undefined)
const write = (db: Db, to: string, paragraph?: string) => inTransaction(db, (tx) => enqueue(tx, draft(to, paragraph)))

async function deliver(db: Db, smtpUrl: string, more: { patienceMs?: number } = {}) {
  const worker = startMailWorker({
    db,
    log: createLog('silent'),
    smtpUrl,
    from: { name: 'Cleartick', address: 'no-reply@cleartick.example' },
    pollMs: 20,
    ...more,
  })
  onTestFinished(() => worker.stop())
  return worker
}

const states = async (db: Db) => {
  const rows = await db.selectFrom('mails').selectAll().orderBy('id').execute()
  return rows.map((row) => ({ to: row.recipient, state: row.state, attempts: row.attempts, text: row.text }))
}

test('escapes user text in both parts of an e-mail', () => {
  const made = draft('a@example.org', '<img src=x onerror=alert(1)> & "friends"')
  expect(made.html).not.toContain('<img')
  expect(made.html).toContain('&#60;img src=x onerror=alert(1)&#62; &#38; &#34;friends&#34;')
  expect(made.html).toContain('href="http://localhost:3000/verify-email?hash=abc&#38;x=&#34;1&#34;"')
  expect(made.text).toContain(LINK)
  expect(made.links).toEqual([LINK])
})

test('an e-mail of a failed transaction is never queued', async () => {
  const { db } = await testDatabase()
  await expect(
    inTransaction(db, async (tx) => {
      await enqueue(tx, draft('a@example.org'))
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await states(db)).toEqual([])
})

test('two workers deliver each e-mail once and leave nothing readable behind', async () => {
  const { db } = await testDatabase()
  const smtp = await startSmtp()
  onTestFinished(() => smtp.stop())
  for (let i = 0; i < 25; i++) await write(db, `user${i}@example.org`)
  await deliver(db, smtp.url)
  await deliver(db, smtp.url)
  await expect.poll(() => smtp.received).toHaveLength(25)
  expect(new Set(smtp.received.map((mail) => mail.to.join())).size).toBe(25)
  await expect.poll(async () => (await states(db)).every((row) => row.state === 'sent')).toBe(true)
  expect((await states(db)).every((row) => row.text === '')).toBe(true)
})

test('retries a temporary rejection, but not a permanent one', async () => {
  const { db } = await testDatabase()
  const smtp = await startSmtp((to) => (to.startsWith('nobody') ? '550 no such user' : '451 try later'))
  onTestFinished(() => smtp.stop())
  await write(db, 'nobody@example.org')
  await write(db, 'later@example.org')
  const worker = await deliver(db, smtp.url)
  await expect.poll(() => smtp.tried).toHaveLength(2)
  await expect
    .poll(() => states(db))
    .toEqual([
      { to: 'nobody@example.org', state: 'failed', attempts: 1, text: '' },
      { to: 'later@example.org', state: 'waiting', attempts: 1, text: expect.stringContaining('Hello') },
    ])
  await db
    .updateTable('mails')
    .set({ next_attempt_at: new Date(0) })
    .execute()
  worker.wake()
  await expect.poll(() => smtp.tried).toEqual(expect.arrayContaining(['later@example.org', 'later@example.org']))
  expect(smtp.tried.filter((to) => to.startsWith('nobody'))).toHaveLength(1)
})

test('retries with backoff while the mail server is down, and gives up after two days', async () => {
  const { db } = await testDatabase()
  await write(db, 'a@example.org')
  await write(db, 'old@example.org')
  await db
    .updateTable('mails')
    .set({ created_at: new Date(Date.now() - 3 * 86_400_000) })
    .where('recipient', '=', 'old@example.org')
    .execute()
  await deliver(db, 'smtp://127.0.0.1:1')
  await expect
    .poll(() => states(db))
    .toMatchObject([
      { state: 'waiting', attempts: 1 },
      { state: 'failed', attempts: 0 },
    ])
  expect([1, 2, 3, 12].map(retryAfterSeconds)).toEqual([5, 20, 80, 21_600])
  expect(isPermanent({ responseCode: 535, code: 'EAUTH' })).toBe(false)
  expect(isPermanent({ responseCode: 550, code: 'EENVELOPE' })).toBe(true)
})

/** A realistic mail server: it requires TLS and a login, and parses each e-mail. */
async function realServer() {
  const mails: ParsedMail[] = []
  const server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'desk' && password === 'p@ss word' ? done(null, { user: username }) : done(new Error('no')),
    onData: (stream, _session, done) =>
      void simpleParser(stream).then((draft) => {
        mails.push(draft)
        done()
      }, done),
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return { mails, url: (login: string, more = '') => `smtp://${login}@127.0.0.1:${port}${more}` }
}
const TRUSTED = '?requireTLS=true&tls.rejectUnauthorized=false'

test('sends text and HTML over TLS with a login to a real mail server', async () => {
  const { db } = await testDatabase()
  const { mails, url } = await realServer()
  await write(db, 'ada@example.org', 'Grüße, 100 € & <more>.')
  await deliver(db, url('desk:p%40ss%20word', TRUSTED))
  await expect.poll(() => mails).toHaveLength(1)
  const [received] = mails
  expect(received!.from?.text).toBe('"Cleartick" <no-reply@cleartick.example>')
  expect(received!.subject).toBe('A message')
  expect(received!.text).toContain('Grüße, 100 € & <more>.')
  expect(received!.html).toContain('Grüße, 100 € &#38; &#60;more&#62;.')
  await expect.poll(() => states(db)).toMatchObject([{ state: 'sent', attempts: 1 }])
})

test('keeps the e-mail queued on a wrong login or an untrusted certificate', async () => {
  const { db } = await testDatabase()
  const { mails, url } = await realServer()
  for (const address of [url('desk:wrong', TRUSTED), url('desk:p%40ss%20word', '?requireTLS=true')]) {
    await write(db, 'ada@example.org')
    const worker = await deliver(db, address)
    await expect.poll(async () => (await states(db)).at(-1)).toMatchObject({ state: 'waiting', attempts: 1 })
    await worker.stop()
  }
  expect(mails).toEqual([])
})

test('a mail server that hangs delays no one, and the e-mail is retried later', async () => {
  const { db } = await testDatabase()
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => silent.close(() => resolve())))
  await write(db, 'ada@example.org')
  await deliver(db, `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`, { patienceMs: 200 })
  await expect
    .poll(() => db.selectFrom('mails').select(['state', 'attempts', 'last_error']).executeTakeFirstOrThrow())
    .toMatchObject({ state: 'waiting', attempts: 1, last_error: expect.stringMatching(/greeting|timeout/i) })
})

test('never sends to an address that would parse as several', async () => {
  const { db } = await testDatabase()
  const smtp = await startSmtp()
  onTestFinished(() => smtp.stop())
  await write(db, 'ok@x\r\nBcc: evil@x.example')
  await deliver(db, smtp.url)
  const isTried = async () => {
    const row = await db.selectFrom('mails').select(['state', 'last_error']).executeTakeFirstOrThrow()
    return row.state === 'sent' || row.last_error !== null
  }
  await expect.poll(isTried).toBe(true)
  expect(smtp.tried).not.toContain('evil@x.example')
  expect(smtp.received.flatMap((mail) => mail.to)).not.toContain('evil@x.example')
  expect(smtp.received.some((mail) => /^Bcc:/im.test(mail.data))).toBe(false)
})

test('the mailbox lists e-mails newest first, filters by address ignoring case, and runs no scripts', async () => {
  const { db } = await testDatabase()
  await write(db, 'Ada@example.org', '<b>one</b>')
  await write(db, 'bob@example.org', 'two')
  const app = Fastify()
  onTestFinished(() => app.close())
  mailboxPlugin(app, { db, brand: 'Cleartick', isOwnHost: (host) => host === 'localhost:80' })
  const all = (await app.inject('/mailbox.json')).json()
  expect(all.map((mail: { to: string }) => mail.to)).toEqual(['bob@example.org', 'Ada@example.org'])
  const hers = (await app.inject('/mailbox.json?to=ada@EXAMPLE.org')).json()
  expect(hers).toEqual([{ ...draft('Ada@example.org', '<b>one</b>'), at: expect.stringMatching(/^\d{4}-.*Z$/) }])
  const page = await app.inject('/mailbox?to=ada@example.org')
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/)
  expect(page.body).toContain('href="http://localhost:3000/verify-email?hash=abc&#38;x=&#34;1&#34;"')
  expect(page.body).toContain('&#60;b&#62;one')
  expect(page.body).not.toMatch(/<b>|<script|style=|two/)
  expect((await app.inject('/mailbox.css')).headers['content-type']).toMatch(/^text\/css/)
  const hostile = await app.inject(`/mailbox?to=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(hostile.body).not.toContain('<script>')
})

test('the mailbox answers only local requests under its own host name', async () => {
  const { db } = await testDatabase()
  await write(db, 'ada@example.org', 'one')
  const app = Fastify()
  onTestFinished(() => app.close())
  mailboxPlugin(app, { db, brand: 'Cleartick', isOwnHost: (host) => host === 'localhost:80' })
  const ask = async (more: { headers?: Record<string, string>; remoteAddress?: string }, url = '/mailbox.json') => {
    const reply = await app.inject({ url, ...more })
    return [reply.statusCode, reply.body.includes('verify-email')]
  }
  for (const remoteAddress of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) {
    expect(await ask({ remoteAddress }), remoteAddress).toEqual([200, true])
  }
  for (const url of ['/mailbox', '/mailbox.json', '/mailbox?to=ada@example.org']) {
    for (const remoteAddress of ['192.168.1.20', '::ffff:10.0.0.2', '2001:db8::1', '0.0.0.0']) {
      expect(await ask({ remoteAddress }, url), `${url} from ${remoteAddress}`).toEqual([404, false])
    }
    for (const host of ['rebound.example', 'rebound.example:80', 'localhost.rebound.example:80']) {
      expect(await ask({ headers: { host } }, url), `${url} as ${host}`).toEqual([404, false])
    }
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect(await ask({ headers: { [header]: '127.0.0.1' } }, url), `${url} through a proxy`).toEqual([404, false])
    }
  }
})

test('the mailbox of a public test installation also answers other machines under its own host name', async () => {
  const { db } = await testDatabase()
  const app = Fastify()
  onTestFinished(() => app.close())
  const isOwnHost = (host: string) => host === 'play.example'
  mailboxPlugin(app, { db, brand: 'Cleartick', isOwnHost, servesOthers: true })
  const ask = async (host: string) =>
    (await app.inject({ url: '/mailbox', headers: { host }, remoteAddress: '192.168.1.20' })).statusCode
  expect([await ask('play.example'), await ask('rebound.example')]).toEqual([200, 404])
})

test('one recipient gets at most twenty e-mails an hour, and what strangers can cause uses up none of them', async () => {
  const { db } = await testDatabase()
  const send = (to: string, more: Partial<Mail> = {}) =>
    inTransaction(db, (tx) => enqueue(tx, { ...draft(to, 'one'), to, ...more }))
  const count = async (to: string) =>
    (await states(db)).filter((row) => row.to.toLowerCase() === to && row.state === 'waiting').length
  for (const budget of ['confirm', 'reply'] as const)
    for (let n = 0; n < 42; n++) await send(n % 2 ? 'Ada@example.org' : 'ada@EXAMPLE.org', { budget })
  expect(await count('ada@example.org')).toBe(20)
  for (let n = 0; n < 42; n++) await send('ada@example.org')
  expect(await count('ada@example.org')).toBe(40)
  await send('bob@example.org')
  expect(await count('bob@example.org'), 'others have their own').toBe(1)
  for (let n = 0; n < 42; n++) await send('ada@example.org', { budget: 'none' })
  expect(await count('ada@example.org')).toBe(82)
  await db
    .updateTable('mails')
    .set({ created_at: new Date(Date.now() - 3_700_000) })
    .execute()
  await send('ada@example.org')
  expect(await count('ada@example.org'), 'an hour later').toBe(83)
})

test('dropped e-mails are recorded once an hour, recipient and budget, without their content', async () => {
  const { db } = await testDatabase()
  const send = (budget: Mail['budget'], to = 'ada@example.org') =>
    inTransaction(db, (tx) => enqueue(tx, { ...draft(to, 'one'), to, ...(budget ? { budget } : {}) }))
  const take = () => inTransaction(db, takeDropped)
  for (let n = 0; n < 20; n++) await send('usual')
  expect(await take()).toEqual([])
  for (let n = 0; n < 30; n++) await send(n % 2 ? 'confirm' : 'usual')
  for (let n = 0; n < 12; n++) await send('confirm', 'bob@example.org')
  expect(await take()).toMatchObject([
    { subject: 'A message', budget: 'usual' },
    { subject: 'A message', budget: 'confirm' },
    { subject: 'A message', budget: 'confirm' },
  ])
  expect(await take()).toEqual([])
  const dropped = (await states(db)).filter(({ state }) => state === 'failed')
  expect(dropped).toHaveLength(3)
  expect(new Set(dropped.map(({ text }) => text))).toEqual(new Set(['']))
  // An hour later there is room, and then a new record.
  await db
    .updateTable('mails')
    .set({ created_at: new Date(Date.now() - 3_700_000) })
    .execute()
  for (let n = 0; n < 25; n++) await send('usual')
  expect(await take()).toHaveLength(1)
  expect((await states(db)).filter(({ state, to }) => state === 'waiting' && to === 'ada@example.org')).toHaveLength(50)
})
