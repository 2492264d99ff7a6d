import { afterAll, describe, expect, test } from 'vitest'
import { createLog } from '#server/platform/process/log.ts'
import { registration, startIdentity } from '#tests/support/people/identity.ts'

const lines: Record<string, unknown>[] = []
const log = createLog('warn', { write: (line: string) => void lines.push(JSON.parse(line)) })
const { app, resetHash } = await startIdentity({ log })
afterAll(app.stop)

const COMMON = { field: 'password', message: 'is one of the most common passwords. Choose another.' }
const GUESSED = { field: 'password', message: 'is too easy to guess. Choose another.' }
const both = (password: string) => ({ password, confirmPassword: password })

describe('a common password', () => {
  test('is rejected at registration, without an account', async () => {
    const form = registration()
    for (const [password, error] of [
      ['Password1', COMMON],
      ['cleartick', GUESSED],
      [form.email, GUESSED],
    ] as const) {
      const answer = await app.call('POST /auth/register', { ...form, ...both(password) })
      expect([answer.status, answer.json.errors]).toEqual([422, [error]])
    }
    const signedIn = await app.call('POST /auth/login', { email: form.email, password: 'Password1' })
    expect(signedIn.json.code).toBe('invalid_credentials')
  })

  test('is rejected as a new password, and the old one still works', async () => {
    const user = await app.newUser()
    const { token } = await app.signIn(user)
    const change = { current: user.password, ...both('iloveyou') }
    const answer = await app.call('PATCH /users/change-password', change, { token })
    expect([answer.status, answer.json.errors]).toEqual([422, [COMMON]])
    await app.signIn(user)
  })

  test('is rejected at a reset, and the link still works', async () => {
    const user = await app.newUser()
    const hash = await resetHash(user.email)
    for (const [password, error] of [
      ['qwerty123', COMMON],
      [user.email, GUESSED],
    ] as const) {
      const answer = await app.call('POST /auth/reset-password', { hash, ...both(password) })
      expect([answer.status, answer.json.errors]).toEqual([422, [error]])
    }
    const answer = await app.call('POST /auth/reset-password', { hash, ...both('a new start') })
    expect(answer.status).toBe(200)
  })
})

test('logs failed sign-ins and rejections with account and network, never with user input', async () => {
  const user = await app.newUser()
  const { token, user: own } = await app.signIn(user)
  lines.length = 0
  await app.call('POST /auth/login', { email: user.email, password: 'my other secret' })
  await app.call('POST /auth/login', { email: 'no.account@example.org', password: 'my other secret' })
  const change = { current: 'my other secret', ...both('a new start') }
  await app.call('PATCH /users/change-password', change, { token })
  await app.call('POST /auth/refresh', undefined, { headers: { origin: 'https://elsewhere.example' } })
  await app.call('POST /auth/reset-password', { hash: 'x'.repeat(43), ...both('a new start') })
  expect(lines.map(({ security, route, user: who, network }) => ({ security, route, who, network }))).toEqual([
    { security: 'sign_in_failed', who: own.id, network: '127.0.0.1' },
    { security: 'invalid_credentials', route: 'POST /api/auth/login', network: '127.0.0.1' },
    { security: 'sign_in_failed', network: '127.0.0.1' },
    { security: 'invalid_credentials', route: 'POST /api/auth/login', network: '127.0.0.1' },
    { security: 'invalid_credentials', route: 'PATCH /api/users/change-password', who: own.id, network: '127.0.0.1' },
    { security: 'forbidden', route: 'POST /api/auth/refresh', network: '127.0.0.1' },
    { security: 'invalid_hash', route: 'POST /api/auth/reset-password', network: '127.0.0.1' },
  ])
  const text = JSON.stringify(lines)
  for (const typed of ['secret', user.email, 'no.account', 'a new start', 'xxx']) expect(text).not.toContain(typed)
})
