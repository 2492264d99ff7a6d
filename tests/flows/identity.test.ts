import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IdentityApp, registration, startIdentityApp } from '#tests/support/identity.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let app: IdentityApp
beforeAll(async () => {
  app = await startIdentityApp()
})
afterAll(() => app.stop())

test('a newcomer registers, signs in, and sees himself with 10,000 dollars to practise', async () => {
  const form = registration({ email: `Grace-${Date.now()}@Example.org` })
  const registered = await app.call('POST /auth/register', form)
  expect(registered.status).toBe(200)
  expect(registered.json).toEqual({
    status: true,
    message: 'Please check your mailbox and confirm your email!',
    session: expect.stringMatching(/^[\w-]{43}$/),
  })
  const { user, token, answer } = await app.signIn({ email: form.email.toLowerCase(), password: form.password })
  expect(user).toMatchObject({
    email: form.email,
    email_verified: false,
    firstname: 'Ada',
    balance: 0,
    demo_balance: 10_000,
    trading_plan: '',
    plan_request: null,
    referral_code: expect.stringMatching(/^[A-Z]{8}$/),
  })
  expect(answer.cookie!.line).toMatch(/; Path=\/api\/auth; HttpOnly; SameSite=Strict$/)
  const me = await app.call('GET /users/me', undefined, { token })
  expect(me.json).toEqual({ status: true, data: user })
  await app.call('POST /auth/verify-email', { hash: await app.hashFor(form.email, /confirm/) })
  const confirmed = await app.call('GET /users/me', undefined, { token })
  expect(confirmed.json.data).toMatchObject({ email_verified: true })
})

test('sessions are listed newest first, and end one by one and all at once', async () => {
  const user = await app.newUser()
  const first = await app.signIn(user)
  const second = await app.signIn(user, {}, { headers: { 'user-agent': FIREFOX } })
  const third = await app.signIn(user)
  const listed = await app.call('GET /auth/sessions', undefined, { token: second.token })
  const rows = listed.json.data as unknown as { id: string; current: boolean; device: string }[]
  expect(rows.map((row) => row.current)).toEqual([false, true, false])
  expect(rows[1]!.device).toBe('Firefox on Linux')
  const ended = await app.call(`DELETE /auth/sessions/${rows[0]!.id}`, undefined, { token: second.token })
  expect(ended.status).toBe(200)
  expect((await app.call('GET /users/me', undefined, { token: third.token })).status).toBe(401)
  expect((await app.call('DELETE /auth/sessions', undefined, { token: second.token })).status).toBe(200)
  expect((await app.call('GET /users/me', undefined, { token: first.token })).status).toBe(401)
  expect((await app.call('GET /users/me', undefined, { token: second.token })).status).toBe(200)
})

test('a renewal gives a new token and a new cookie, and signing out ends both', async () => {
  const user = await app.newUser()
  const signedIn = await app.signIn(user, { remember: true })
  expect(signedIn.answer.cookie!.line).toMatch(/Max-Age=2592000/)
  const renewed = await app.call('POST /auth/refresh', undefined, { cookie: signedIn.renewal })
  expect(renewed.status).toBe(200)
  const token = (renewed.json.tokens as unknown as { access: { token: string } }).access.token
  expect(token).not.toBe(signedIn.token)
  expect((await app.call('GET /users/me', undefined, { token })).status).toBe(200)
  const out = await app.call('POST /auth/logout', undefined, { cookie: renewed.cookie!.value })
  expect(out.status).toBe(200)
  expect(out.cookie!.value).toBe('')
  expect((await app.call('GET /users/me', undefined, { token })).status).toBe(401)
  expect((await app.call('POST /auth/refresh', undefined, { cookie: renewed.cookie!.value })).status).toBe(401)
})
