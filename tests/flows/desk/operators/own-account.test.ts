import { afterAll, expect, test } from 'vitest'
import { DESK_PASSWORD, operator, signInAgain, timeLeftInPeriod } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'
import { totpCode } from '#tests/support/totp-code.ts'

const app = await startWholeApp({ RATE_LIMITS: 'on' })
afterAll(async () => {
  expect(await app.broken()).toEqual([])
  await app.stop()
})

const PERIOD_MS = 30_000
const soon = () => Date.now() + PERIOD_MS
const isSignedIn = async (who: { ask: (method: string, path: string) => Promise<{ status: number }> }) =>
  (await who.ask('GET', '/auth/me')).status === 200

test('an operator changes their password with the present one and a code, which ends their other sessions', async () => {
  await timeLeftInPeriod()
  const who = await operator(app, ['support'])
  const next = soon()
  const other = await signInAgain(app, who, next)
  const stranger = await operator(app, ['support'])
  const password = 'jacquard loom 1804'
  const change = (body: object) => other.ask('POST', '/auth/password', { body })
  // The codes of this period and the next are used; the one before is older.
  const code = totpCode(who.secret, next)
  expect(refusal(await change({ current: DESK_PASSWORD, password, code })), 'a used code').toEqual([
    422,
    'invalid_credentials',
  ])
  expect(refusal(await change({ current: 'wrong', password, code }))).toEqual([422, 'invalid_credentials'])
  expect(refusal(await change({ current: DESK_PASSWORD, password: 'password123', code }))[0]).toBe(422)
  await app.pool.query('update operators set totp_step = totp_step - 5 where id = $1', [who.id])
  const replies = await Promise.all([1, 2, 3].map(() => change({ current: DESK_PASSWORD, password, code })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422])
  expect([await isSignedIn(who), await isSignedIn(other), await isSignedIn(stranger)]).toEqual([false, true, true])
  const login = (typed: string) =>
    app.send('POST', '/api/desk/auth/login', { body: { email: who.email, password: typed, code: '000000' } })
  for (const typed of [DESK_PASSWORD, password])
    expect(refusal(await login(typed))).toEqual([422, 'invalid_credentials'])
  const mail = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(who.email)}`)
  expect(mail.text).toContain('Your password for the desk was changed')
  const auditor = await operator(app, ['auditor'])
  const rows = data<{ action: string; operator: string }[]>(
    await auditor.ask('GET', `/audit?item_kind=operators&item_id=${who.id}`),
  )
  expect(rows.filter(({ action }) => action === 'change-password')).toHaveLength(1)
})

test('an operator replaces their authenticator, whose token is theirs alone', async () => {
  await timeLeftInPeriod()
  const who = await operator(app, ['finance'])
  const stranger = await operator(app, ['finance'])
  const begun = data<{ token: string; secret: string }>(
    await who.ask('POST', '/auth/authenticator', {
      body: { current: DESK_PASSWORD, code: totpCode(who.secret, soon()) },
    }),
  )
  const confirm = (by: typeof who, body: object) => by.ask('POST', '/auth/authenticator/confirm', { body })
  const good = { token: begun.token, code: totpCode(begun.secret) }
  expect(refusal(await confirm(stranger, good))).toEqual([422, 'invalid_hash'])
  expect(refusal(await confirm(who, { ...good, code: '000000' }))).toEqual([422, 'invalid_credentials'])
  const login = (secret: string) =>
    app.send('POST', '/api/desk/auth/login', {
      body: { email: who.email, password: DESK_PASSWORD, code: totpCode(secret, soon()) },
    })
  data(await confirm(who, good))
  await app.pool.query('update operators set totp_step = totp_step - 5 where id = $1', [who.id])
  expect(refusal(await login(who.secret)), 'the former one').toEqual([422, 'invalid_credentials'])
  expect((await login(begun.secret)).status).toBe(200)
})

test('wrong guesses of a stolen session are limited', async () => {
  const who = await operator(app, ['risk'])
  const guesses: unknown[] = []
  for (let n = 0; n < 12; n++)
    guesses.push(
      refusal(await who.ask('POST', '/auth/authenticator', { body: { current: `guess ${n}`, code: '000000' } }))[1],
    )
  expect(guesses.slice(0, 10)).toEqual(Array(10).fill('invalid_credentials'))
  expect(guesses.slice(10)).toEqual(Array(2).fill('too_many_requests'))
})

test("an operator sees and ends their own sessions, and no one else's", async () => {
  await timeLeftInPeriod()
  const who = await operator(app, ['admin'])
  const stranger = await operator(app, ['admin'])
  const other = await signInAgain(app, who, soon())
  const sessions = async (of: typeof who) =>
    data<{ id: string; current: boolean; device: string }[]>(await of.ask('GET', '/auth/sessions'))
  expect((await sessions(who)).map(({ current }) => current)).toEqual([false, true])
  const [newest] = await sessions(other)
  expect(refusal(await stranger.ask('DELETE', `/auth/sessions/${newest!.id}`))).toEqual([404, 'not_found'])
  data(await who.ask('DELETE', `/auth/sessions/${newest!.id}`))
  expect([await isSignedIn(who), await isSignedIn(other), await isSignedIn(stranger)]).toEqual([true, false, true])
  expect(await sessions(who)).toHaveLength(1)
  data(await stranger.ask('DELETE', '/auth/sessions'))
  expect([await isSignedIn(who), await isSignedIn(stranger)]).toEqual([true, true])
})
