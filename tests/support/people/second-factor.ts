import { afterAll, expect } from 'vitest'
import { totpCode } from '#tests/support/totp-code.ts'
import { softwareKey } from '../outside/authenticator.ts'
import { timeLeftInPeriod } from './desk.ts'
import { type Answer, startIdentityApp } from './identity.ts'

export interface Person {
  email: string
  password: string
  token: string
  id: string
}

/** Returns an unused code: that of the next period, which is already valid. */
export const next = (secret: string): string => totpCode(secret, Date.now() + 30_000)

export const code = (answer: Answer) => [answer.status, answer.json.code]

/** Returns the data of a response, which must be a success. */
export function data(answer: Answer): Record<string, unknown> {
  expect(answer.status, String(answer.bytes)).toBe(200)
  return answer.json.data as Record<string, unknown>
}

/** An installation for the tests of a file, and people with and without a second factor. */
export async function secondFactorsOfFile() {
  const app = await startIdentityApp()
  afterAll(() => app.stop())

  async function person(): Promise<Person> {
    const user = await app.newUser()
    await app.confirm(user)
    const { token, user: me } = await app.signIn(user)
    return { email: user.email, password: user.password, token, id: me.id }
  }
  const as = (who: Person, name: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(name, body, { token: who.token, headers })

  async function withTotp() {
    const who = await person()
    const { secret } = data(await as(who, 'POST /auth/2fa/totp', { password: who.password })) as { secret: string }
    await timeLeftInPeriod()
    const confirmedBy = totpCode(secret)
    const { recovery_codes } = data(await as(who, 'POST /auth/2fa/totp/confirm', { code: confirmedBy })) as {
      recovery_codes: string[]
    }
    return { who, secret, codes: recovery_codes, confirmedBy }
  }
  async function withPasskey() {
    const who = await person()
    const key = softwareKey()
    const options = data(await as(who, 'POST /auth/2fa/passkeys/options', { password: who.password }))
    const enrolled = await as(who, 'POST /auth/2fa/passkeys', {
      name: 'Blue key',
      response: key.create(options as { challenge: string }),
    })
    return { who, key, codes: data(enrolled).recovery_codes as string[] }
  }
  const login = (who: Person, more: object = {}) =>
    app.call('POST /auth/login', { email: who.email, password: who.password, ...more })
  const newPassword = (who: Person, password = 'difference engine') => ({
    current: who.password,
    password,
    confirmPassword: password,
  })
  const change = (who: Person, stepUp?: string, body = newPassword(who)) =>
    as(who, 'PATCH /users/change-password', body, stepUp === undefined ? {} : { 'x-step-up': stepUp })

  return { app, person, as, withTotp, withPasskey, login, newPassword, change }
}
