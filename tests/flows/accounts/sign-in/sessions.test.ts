import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { type IdentityTopics, startSessions } from '#server/identity/index.ts'
import { openBus } from '#server/platform/bus/index.ts'
import { inTransaction } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startIdentity, storedHash, tokenOf } from '#tests/support/people/identity.ts'
import { twenty } from '#tests/support/replies.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const { app, me, refresh } = await startIdentity()
afterAll(app.stop)

describe('sessions', () => {
  test('are listed newest first, and can be ended one by one or all together', async () => {
    const user = await app.newUser()
    const first = await app.signIn(user)
    const second = await app.signIn(user, {}, { headers: { 'user-agent': FIREFOX } })
    const third = await app.signIn(user)
    const listed = await app.call('GET /auth/sessions', undefined, { token: second.token })
    const rows = listed.json.data as { id: string; current: boolean; device: string; address: string }[]
    expect(rows.map((row) => row.current)).toEqual([false, true, false])
    expect(rows[1]).toMatchObject({ device: 'Firefox on Linux', address: '127.0.0.1' })
    const ended = await app.call(`DELETE /auth/sessions/${rows[0]!.id}`, undefined, { token: second.token })
    expect(ended.status).toBe(200)
    expect((await me(third.token)).status).toBe(401)
    expect((await app.call('DELETE /auth/sessions', undefined, { token: second.token })).status).toBe(200)
    expect((await me(first.token)).status).toBe(401)
    expect((await me(second.token)).status).toBe(200)
  })

  test("other users', ended and invented sessions are all not found", async () => {
    const mine = await app.signIn(await app.newUser())
    const other = await app.signIn(await app.newUser())
    const list = await app.call('GET /auth/sessions', undefined, { token: other.token })
    const [theirs] = list.json.data as { id: string }[]
    for (const id of [theirs!.id, '999999999', '0', '-1', '1e3', '1;drop', '9'.repeat(40), '%00']) {
      const answer = await app.call(`DELETE /auth/sessions/${id}`, undefined, { token: mine.token })
      expect([id, [404, 422].includes(answer.status)]).toEqual([id, true])
    }
    expect((await me(other.token)).status).toBe(200)
    expect((await app.call('GET /auth/sessions')).status).toBe(401)
    expect((await app.call('DELETE /auth/sessions', undefined, { token: 'x'.repeat(43) })).status).toBe(401)
  })

  test('a renewal returns a new token and cookie; signing out ends both', async () => {
    const user = await app.newUser()
    const signedIn = await app.signIn(user, { remember: true })
    expect(signedIn.answer.cookie!.line).toMatch(/Max-Age=2592000/)
    const renewed = await refresh(signedIn.renewal)
    expect(renewed.cookie!.line).toMatch(/Max-Age=25919\d\d/)
    const token = tokenOf(renewed)
    expect(token).not.toBe(signedIn.token)
    expect((await me(token)).status).toBe(200)
    expect((await me(signedIn.token)).status).toBe(200)
    const elsewhere = await app.signIn(user)
    const out = await app.call('POST /auth/logout', undefined, { cookie: renewed.cookie!.value })
    expect(out.json).toEqual({ status: true, message: 'You are signed out.' })
    expect(out.cookie!.value).toBe('')
    expect((await me(token)).status).toBe(401)
    expect((await refresh(renewed.cookie!.value)).status).toBe(401)
    expect((await app.call('POST /auth/logout')).status).toBe(200)
    expect((await me(elsewhere.token)).status).toBe(200)
  })

  test('signing out with the token alone ends the session too', async () => {
    const signedIn = await app.signIn(await app.newUser())
    expect((await app.call('POST /auth/logout', undefined, { token: signedIn.token })).status).toBe(200)
    expect((await me(signedIn.token)).status).toBe(401)
    expect((await refresh(signedIn.renewal)).status).toBe(401)
  })

  test('a renewal token returns the same successor for ten seconds, from twenty parallel tabs', async () => {
    const signedIn = await app.signIn(await app.newUser())
    const answers = await twenty(() => refresh(signedIn.renewal))
    expect(new Set(answers.map((answer) => answer.cookie!.value)).size).toBe(1)
    expect(new Set(answers.map(tokenOf)).size).toBe(1)
    expect(answers[0]!.cookie!.value).not.toBe(signedIn.renewal)
    expect((await me(tokenOf(answers[0]!))).status).toBe(200)
    expect((await refresh(answers[0]!.cookie!.value)).status).toBe(200)
  })

  test('a renewal token used later than that ends the session', async () => {
    const user = await app.newUser()
    const signedIn = await app.signIn(user)
    const elsewhere = await app.signIn(user)
    const child = await refresh(signedIn.renewal)
    await app.db
      .updateTable('session_tokens')
      .set({ renewed_at: new Date(Date.now() - 11_000) })
      .where('renewal_hash', '=', storedHash(signedIn.renewal))
      .execute()
    expect((await refresh(signedIn.renewal)).json.code).toBe('unauthenticated')
    expect((await refresh(child.cookie!.value)).status).toBe(401)
    expect((await me(tokenOf(child))).status).toBe(401)
    expect((await me(elsewhere.token)).status).toBe(200)
  })

  test('a token two generations old ends the session immediately', async () => {
    const signedIn = await app.signIn(await app.newUser())
    const child = await refresh(signedIn.renewal)
    const grandchild = await refresh(child.cookie!.value)
    expect(grandchild.status).toBe(200)
    expect((await refresh(signedIn.renewal)).status).toBe(401)
    expect((await me(tokenOf(grandchild))).status).toBe(401)
    expect((await refresh(grandchild.cookie!.value)).status).toBe(401)
  })

  test('a renewal without a cookie, with junk or with an access token returns 401', async () => {
    const signedIn = await app.signIn(await app.newUser())
    expect((await app.call('POST /auth/refresh')).status).toBe(401)
    for (const junk of ['junk', 'x'.repeat(43), signedIn.token, "' or 1=1 --"]) {
      expect((await refresh(encodeURIComponent(junk))).status).toBe(401)
    }
    expect((await me(signedIn.renewal)).status).toBe(401)
    expect((await me(signedIn.token)).status).toBe(200)
  })

  test("a page of another origin can't renew or end a session", async () => {
    const signedIn = await app.signIn(await app.newUser())
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3001']) {
      expect((await refresh(signedIn.renewal, { origin })).status).toBe(403)
      const out = await app.call('POST /auth/logout', undefined, { cookie: signedIn.renewal, headers: { origin } })
      expect(out.status).toBe(403)
    }
    expect((await refresh(signedIn.renewal, { origin: 'http://localhost:3000' })).status).toBe(200)
  })

  test('a session ends after 12 hours, a remembered one after 30 days, despite renewals', async () => {
    const user = await app.newUser()
    const lives = async (renewal: string) => {
      const row = await app.db
        .selectFrom('sessions')
        .innerJoin('session_tokens', 'session_id', 'sessions.id')
        .select(['sessions.id', 'created_at', 'expires_at'])
        .where('renewal_hash', '=', storedHash(renewal))
        .executeTakeFirstOrThrow()
      return { id: row.id, hours: Math.round((row.expires_at.getTime() - row.created_at.getTime()) / 3_600_000) }
    }
    const short = await app.signIn(user)
    const long = await app.signIn(user, { remember: true })
    expect((await lives(long.renewal)).hours).toBe(720)
    const { id, hours } = await lives(short.renewal)
    expect(hours).toBe(12)
    const expires = new Date((short.answer.json.tokens as { access: { expires: string } }).access.expires)
    expect(Math.round((expires.getTime() - Date.now()) / 60_000)).toBe(15)
    await app.db.updateTable('sessions').set({ expires_at: new Date() }).where('id', '=', id).execute()
    expect((await refresh(short.renewal)).status).toBe(401)
    await sleep(900)
    expect((await me(short.token)).status).toBe(401)
  })

  test('another node drops an ended session and closes its sockets', async () => {
    const log = createLog('silent')
    const told: bigint[] = []
    const ended = (sessionIds: readonly bigint[]) => void told.push(...sessionIds)
    const node = startSessions({ db: app.db, log, bus: await openBus(log), ended })
    try {
      const user = await app.newUser()
      const signedIn = await app.signIn(user)
      const who = await node.authenticate(signedIn.token)
      expect(who).toMatchObject({ userId: BigInt(signedIn.user.id) })
      await app.call('POST /auth/logout', undefined, { token: signedIn.token })
      await expect.poll(() => node.authenticate(signedIn.token)).toBeUndefined()
      // Repeated while recent, so that a socket being opened at that moment is closed as well.
      const times = () => told.filter((id) => id === who!.sessionId).length
      expect(times()).toBeGreaterThanOrEqual(1)
      await expect.poll(times).toBeGreaterThanOrEqual(2)
    } finally {
      await node.stop()
    }
  })

  test('a node without requests or sockets forgets all sessions and stops polling; the next request wakes it', async () => {
    const log = createLog('silent')
    let polls = 0
    const ended = () => void polls++
    let hasSockets = true
    const node = startSessions({
      db: app.db,
      log,
      bus: await openBus(log),
      ended,
      hasSockets: () => hasSockets,
      readEveryMs: 20,
      idleAfterMs: 100,
    })
    try {
      const signedIn = await app.signIn(await app.newUser())
      await node.authenticate(signedIn.token)
      await app.call('POST /auth/logout', undefined, { token: signedIn.token })
      // A socket may belong to the session: its end must be found without any request.
      await sleep(300)
      const watched = polls
      await expect.poll(() => polls).toBeGreaterThan(watched)
      hasSockets = false
      await sleep(300)
      const idle = polls
      await sleep(300)
      expect(polls).toBe(idle)
      expect(await node.authenticate(signedIn.token)).toBeUndefined()
      await expect.poll(() => polls).toBeGreaterThan(idle)
    } finally {
      await node.stop()
    }
  })

  test('a node finds sessions that ended while it was cut off', async () => {
    const log = createLog('silent')
    const told: bigint[] = []
    const ended = (sessionIds: readonly bigint[]) => void told.push(...sessionIds)
    const bus = await openBus<IdentityTopics>(log)
    const node = startSessions({ db: app.db, log, bus, ended, readEveryMs: 800, windowSeconds: 0.1 })
    try {
      const signedIn = await app.signIn(await app.newUser())
      const { sessionId } = (await node.authenticate(signedIn.token))!
      await sleep(200)
      await app.call('POST /auth/logout', undefined, { token: signedIn.token })
      await expect.poll(() => told).toContain(sessionId)
    } finally {
      await node.stop()
    }
  })

  test('a node finds sessions whose end committed late', async () => {
    const log = createLog('silent')
    const dropped: bigint[] = []
    const ended = (sessionIds: readonly bigint[]) => void dropped.push(...sessionIds)
    const [node, other] = [
      startSessions({ db: app.db, log, bus: await openBus(log), ended, readEveryMs: 50, windowSeconds: 0.2 }),
      startSessions({ db: app.db, log, bus: await openBus(log) }),
    ]
    try {
      const signedIn = await app.signIn(await app.newUser())
      const { userId, sessionId } = (await node.authenticate(signedIn.token))!
      await inTransaction(app.db, async (tx) => {
        await other.end(tx, userId, 'ended_by_owner')
        // It waits for something else, for longer than polls usually reach back.
        await sleep(1_000)
      })
      await expect.poll(() => dropped).toContain(sessionId)
    } finally {
      await Promise.all([node.stop(), other.stop()])
    }
  })

  test("a node that can't read ended sessions stops trusting its cache after 0.9 s", async () => {
    const log = createLog('silent')
    const node = startSessions({ db: app.db, log, bus: await openBus(log), readEveryMs: 60_000 })
    try {
      const signedIn = await app.signIn(await app.newUser())
      await sleep(50)
      expect(await node.authenticate(signedIn.token)).toBeDefined()
      await app.call('POST /auth/logout', undefined, { token: signedIn.token })
      await sleep(950)
      expect(await node.authenticate(signedIn.token)).toBeUndefined()
    } finally {
      await node.stop()
    }
  })

  test('when a poll is late, the requests that wait share one query', async () => {
    const log = createLog('silent')
    let queries = 0
    const counting = app.db.withPlugin({
      transformQuery: ({ node }) => {
        queries++
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const db = counting as unknown as typeof app.db
    const node = startSessions({ db, log, bus: await openBus(log), readEveryMs: 60_000 })
    try {
      const tokens = await Promise.all(
        Array.from({ length: 5 }, async () => (await app.signIn(await app.newUser())).token),
      )
      for (const token of tokens) expect(await node.authenticate(token)).toBeDefined()
      await sleep(950)
      queries = 0
      const found = await Promise.all(Array.from({ length: 200 }, (_, i) => node.authenticate(tokens[i % 5]!)))
      expect(found.filter((who) => who === undefined)).toEqual([])
      expect(queries).toBe(1)
      await sleep(950)
      for (const token of tokens) await node.authenticate(token)
      expect(queries).toBe(2)
    } finally {
      await node.stop()
    }
  })
})
