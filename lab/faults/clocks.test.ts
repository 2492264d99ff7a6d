import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { registration } from '#tests/support/people/identity.ts'
import { call, openSuper, type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { shiftableClock } from '#tests/support/servers/shifted-clock.ts'
import { broken, crowd, healthy } from '#tests/support/trades/crowd.ts'

const TWO_HOURS = 7_200
const { freshData, submitTo } = crowd(2)

/** Signs a trader in, and returns a check of whether the browser can still renew the session. */
async function session(server: ServerProcess) {
  const form = registration()
  await call(server, 'POST', '/auth/register', { body: form })
  const login = await fetch(`${server.origin}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: form.email, password: form.password }),
  })
  const renewalOf = (answer: Response) =>
    answer.headers
      .getSetCookie()
      .find((one) => one.startsWith('renewal='))!
      .split(';')[0]!
  let cookie = renewalOf(login)
  return async function renews(): Promise<number> {
    const renewal = await fetch(`${server.origin}/api/auth/refresh`, { method: 'POST', headers: { cookie } })
    if (renewal.status !== 200) return renewal.status
    cookie = renewalOf(renewal)
    const { tokens } = (await renewal.json()) as { tokens: { access: { token: string } } }
    return (await call(server, 'GET', '/users/me', { token: tokens.access.token })).status
  }
}

test('with a clock two hours off, trades end by the tape, sessions last and the tape never goes back', async () => {
  const dataDir = freshData()
  const clock = await shiftableClock(dataDir)
  const server = await startServer(dataDir, clock.env)
  await healthy(server)
  const submit = submitTo(() => server)
  const renews = await session(server)
  const { db, close } = openSuper(dataDir)
  const pending = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from trades where status = 'Pending'`.execute(
      db,
    )
    return rows[0]!.n
  }
  const head = async () => {
    const { rows } = await sql<{ t: bigint }>`select t from tape_head`.execute(db)
    return Number(rows[0]!.t)
  }

  const placedAt = performance.now()
  for (let n = 0; n < 6; n++) expect(await submit(0, randomUUID(), 100 + n)).toMatchObject({ kind: 'accepted' })
  let before = await head()

  for (const seconds of [TWO_HOURS, -TWO_HOURS]) {
    await clock.shift(seconds)
    await expect
      .poll(async () => (await call(server, 'GET', '/health')).json.message, { timeout: 5_000 })
      .toBe('clock: clocks differ')
    expect(await submit(0, randomUUID(), 100)).toMatchObject({
      why: '503 Trading is paused for a moment while we synchronize our clocks. Try again shortly.',
    })
    await sleep(5_000)
    // About five seconds of tape, not two hours, and never backwards.
    const after = await head()
    expect(after - before).toBeGreaterThan(4_000)
    expect(after - before).toBeLessThan(20_000)
    before = after
    expect(await pending(), 'no trade has ended early').toBe(6)
    expect(await renews(), 'who is signed in stays so').toBe(200)
  }

  await clock.shift(0)
  await healthy(server)
  expect(await renews()).toBe(200)
  expect(await submit(1, randomUUID(), 100)).toMatchObject({ kind: 'accepted' })
  await expect.poll(pending, { timeout: 70_000, interval: 100 }).toBe(1)
  expect(performance.now() - placedAt).toBeGreaterThan(60_000)
  expect(performance.now() - placedAt).toBeLessThan(70_000)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from trades where end_time - trade_time <> 60000
      or status = 'Void'`.execute(db)
  expect(rows[0]!.n).toBe(0)
  await close()
  expect(await broken(dataDir)).toEqual([])
  expect(await server.end('SIGTERM')).toBe(0)
})

test('after steps of three seconds, trading resumes without a restart', async () => {
  const dataDir = freshData()
  const clock = await shiftableClock(dataDir)
  const server = await startServer(dataDir, clock.env)
  await healthy(server)
  const submit = submitTo(() => server)
  expect(await submit(0, randomUUID(), 100)).toMatchObject({ kind: 'accepted' })
  const message = async (): Promise<string> => (await call(server, 'GET', '/health')).json.message?.toString() ?? ''
  for (const seconds of [3, -3]) {
    await clock.shift(seconds)
    await expect.poll(message, { timeout: 5_000 }).toBe('clock: clocks differ')
    await expect.poll(message, { timeout: 45_000 }).not.toContain('clock')
    await healthy(server)
    expect(await submit(1, randomUUID(), 100)).toMatchObject({ kind: 'accepted' })
  }
  expect(await broken(dataDir)).toEqual([])
  expect(await server.end('SIGTERM')).toBe(0)
})
