import { describe, expect, test } from 'vitest'
import { hashOf } from '#server/identity/index.ts'
import { softwareKey } from '#tests/support/outside/authenticator.ts'
import { startIdentityApp } from '#tests/support/people/identity.ts'
import { code, data, next, type Person, secondFactorsOfFile } from '#tests/support/people/second-factor.ts'
import { totpCode } from '#tests/support/totp-code.ts'

const { app, person, as, withTotp, withPasskey, login, newPassword, change } = await secondFactorsOfFile()

describe('an authenticator app', () => {
  test('becomes active once confirmed by a code, and sign-in then asks for one', async () => {
    const who = await person()
    expect(data(await as(who, 'GET /auth/2fa'))).toEqual({
      on: false,
      totp: false,
      passkeys: [],
      recovery_codes_left: 0,
      reset: null,
    })
    const begun = data(await as(who, 'POST /auth/2fa/totp', { password: who.password })) as {
      secret: string
      otpauth_url: string
    }
    expect(begun.otpauth_url).toContain(begun.secret)
    // Set-up has started, but the factor isn't active yet.
    expect((await login(who)).status).toBe(200)
    expect(code(await as(who, 'POST /auth/2fa/totp/confirm', { code: '000000' }))).toEqual([422, 'invalid_credentials'])
    const confirmed = data(await as(who, 'POST /auth/2fa/totp/confirm', { code: totpCode(begun.secret) }))
    expect(new Set(confirmed.recovery_codes as string[]).size).toBe(10)
    for (const one of confirmed.recovery_codes as string[])
      expect(one).toMatch(/^([a-hj-km-np-z2-9]{4}-){6}[a-hj-km-np-z2-9]{4}$/)
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({ on: true, totp: true, recovery_codes_left: 10 })

    const refused = await login(who)
    expect(code(refused)).toEqual([428, 'second_factor_required'])
    expect(refused.json.errors).toEqual([{ field: 'code', message: 'is required' }])
    expect(refused.cookie).toBeUndefined()
    expect(code(await login(who, { code: '123456' }))).toEqual([422, 'invalid_credentials'])
    expect((await login(who, { code: next(begun.secret) })).status).toBe(200)
    const mails = await app.mailsTo(who.email)
    expect(mails.map((mail) => mail.subject)).toContain('An authenticator app protects your account')
  })

  test('a recovery code of the previous length works once', async () => {
    const { who } = await withTotp()
    await app.db
      .insertInto('recovery_codes')
      .values({ user_id: BigInt(who.id), hash: hashOf('abcdefghjkmn') })
      .execute()
    expect((await login(who, { code: 'ABCD-efgh-jkmn' })).status).toBe(200)
    expect(code(await login(who, { code: 'abcd-efgh-jkmn' }))).toEqual([422, 'invalid_credentials'])
  })

  test("its secret isn't readable in the database", async () => {
    const { who, secret } = await withTotp()
    const row = await app.db
      .selectFrom('totp_factors')
      .selectAll()
      .where('user_id', '=', BigInt(who.id))
      .executeTakeFirstOrThrow()
    expect(row.secret!.toString('latin1')).not.toContain(secret)
  })

  test('a code works once, even in twenty parallel requests', async () => {
    const { who, secret, confirmedBy } = await withTotp()
    // The code that confirmed it is used up.
    expect(code(await login(who, { code: confirmedBy }))).toEqual([422, 'invalid_credentials'])
    const fresh = next(secret)
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(who, { code: fresh })))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
  })

  test('set-up requires the password', async () => {
    const who = await person()
    for (const call of ['POST /auth/2fa/totp', 'POST /auth/2fa/passkeys/options'])
      expect(code(await as(who, call, { password: 'a guess' }))).toEqual([422, 'invalid_credentials'])
    expect(code(await as(who, 'POST /auth/2fa/totp/confirm', { code: '123456' }))).toEqual([409, 'wrong_state'])
  })

  test('a recovery code works once, in any format, and notifies the owner', async () => {
    const { who, codes } = await withTotp()
    const first = codes[0]!
    expect((await login(who, { code: ` ${first.toUpperCase().replaceAll('-', ' ')}` })).status).toBe(200)
    expect(code(await login(who, { code: first }))).toEqual([422, 'invalid_credentials'])
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({ recovery_codes_left: 9 })
    expect((await app.mailsTo(who.email)).map((mail) => mail.subject)).toContain('A recovery code was used')
    const other = await withTotp()
    expect(code(await login(other.who, { code: codes[1]! }))).toEqual([422, 'invalid_credentials'])
  })
})

describe('before the address is confirmed', () => {
  test("a second factor can't be set up", async () => {
    const user = await app.newUser()
    const { token, user: me } = await app.signIn(user)
    const who: Person = { ...user, token, id: me.id }
    for (const call of ['POST /auth/2fa/totp', 'POST /auth/2fa/passkeys/options'])
      expect(code(await as(who, call, { password: who.password })), call).toEqual([422, 'email_not_confirmed'])
    expect(code(await as(who, 'POST /auth/2fa/totp/confirm', { code: '123456' }))).toEqual([422, 'email_not_confirmed'])
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({ on: false })
  })

  test('the sessions and factors of an earlier stranger end when the owner confirms it', async () => {
    const user = await app.newUser()
    const stranger = await app.signIn(user)
    const id = BigInt(stranger.user.id)
    // Data that a release before this rule may have left.
    await app.db
      .insertInto('passkeys')
      .values({
        user_id: id,
        credential_id: `old-${id}`,
        public_key: Buffer.from('k'),
        counter: 0n,
        transports: [],
        name: 'Old',
      })
      .execute()
    await app.db
      .insertInto('recovery_codes')
      .values({ user_id: id, hash: Buffer.alloc(32) })
      .execute()
    await app.confirm(user)
    expect((await app.call('GET /users/me', undefined, { token: stranger.token })).status).toBe(401)
    const renewed = await app.call('POST /auth/refresh', undefined, { cookie: stranger.renewal })
    expect(renewed.status).toBe(401)
    const { token } = await app.signIn(user)
    const left = data(await app.call('GET /auth/2fa', undefined, { token }))
    expect(left).toEqual({ on: false, totp: false, passkeys: [], recovery_codes_left: 0, reset: null })
  })

  test('the session that shows the link itself continues', async () => {
    const user = await app.newUser()
    const own = await app.signIn(user)
    const other = await app.signIn(user)
    const hash = await app.hashFor(user.email, /Confirm/)
    const answer = await app.call('POST /auth/verify-email', { hash }, { token: own.token })
    expect(answer.status).toBe(200)
    expect((await app.call('GET /users/me', undefined, { token: own.token })).json.data).toMatchObject({
      email_verified: true,
    })
    expect((await app.call('GET /users/me', undefined, { token: other.token })).status).toBe(401)
  })

  test("another account's session doesn't survive on this account", async () => {
    const user = await app.newUser()
    const session = await app.signIn(user)
    const elsewhere = await person()
    const hash = await app.hashFor(user.email, /Confirm/)
    await app.call('POST /auth/verify-email', { hash }, { token: elsewhere.token })
    expect((await app.call('GET /users/me', undefined, { token: session.token })).status).toBe(401)
    expect((await app.call('GET /users/me', undefined, { token: elsewhere.token })).status).toBe(200)
  })
})

describe('a passkey', () => {
  test('is registered, requested at sign-in, and accepted only with a valid response', async () => {
    const { who, key, codes } = await withPasskey()
    expect(codes).toHaveLength(10)
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({
      on: true,
      totp: false,
      passkeys: [{ name: 'Blue key' }],
    })
    expect((await login(who)).json).toMatchObject({
      code: 'second_factor_required',
      errors: [{ field: 'passkey', message: 'is required' }],
    })
    const ask = async () =>
      data(await app.call('POST /auth/login/passkey-options', { email: who.email, password: who.password })) as {
        challenge: string
      }
    const answer = key.get(await ask())
    expect((await login(who, { passkey: answer })).status).toBe(200)
    expect(code(await login(who, { passkey: answer })), 'the same answer again').toEqual([422, 'invalid_credentials'])
    const other = softwareKey()
    expect(code(await login(who, { passkey: other.get(await ask()) })), 'another key').toEqual([
      422,
      'invalid_credentials',
    ])
    const forged = key.get({ challenge: Buffer.from('forged').toString('base64url') })
    expect(code(await login(who, { passkey: forged })), 'a question we never asked').toEqual([
      422,
      'invalid_credentials',
    ])
    const changed = key.get(await ask())
    changed.response.signature = `${changed.response.signature.slice(0, -6)}AAAAAA`
    expect(code(await login(who, { passkey: changed })), 'another signature').toEqual([422, 'invalid_credentials'])
  })

  test('from a foreign page or with hostile junk is rejected without being registered', async () => {
    const who = await person()
    const enrol = async (response: object) => {
      data(await as(who, 'POST /auth/2fa/passkeys/options', { password: who.password }))
      return as(who, 'POST /auth/2fa/passkeys', { name: 'x', response })
    }
    const options = data(await as(who, 'POST /auth/2fa/passkeys/options', { password: who.password })) as {
      challenge: string
    }
    const evil = softwareKey('https://evil.example').create(options)
    for (const response of [
      evil,
      { id: 'x', type: 'public-key' },
      { id: 'x', type: 'public-key', response: { clientDataJSON: 'bnVsbA', attestationObject: 5 } },
      { id: 'x', type: 'public-key', response: { clientDataJSON: {}, attestationObject: [] } },
    ])
      expect(code(await enrol(response))).toEqual([422, 'invalid_credentials'])
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({ on: false })
  })

  test("another user's challenge can't be answered", async () => {
    const { who, key } = await withPasskey()
    const other = await withPasskey()
    const options = data(
      await app.call('POST /auth/login/passkey-options', { email: other.who.email, password: other.who.password }),
    ) as { challenge: string }
    expect(code(await login(who, { passkey: key.get(options) }))).toEqual([422, 'invalid_credentials'])
  })
})

describe('a step-up', () => {
  test("isn't required without a second factor", async () => {
    expect((await change(await person())).status).toBe(200)
  })

  test('allows exactly the rejected request, once', async () => {
    const { who, secret, codes } = await withTotp()
    const other = newPassword(who, 'another engine')
    expect(code(await as(who, 'POST /auth/step-up', { code: next(secret) })), 'nothing waits').toEqual([
      409,
      'wrong_state',
    ])
    expect(code(await change(who))).toEqual([428, 'step_up_required'])
    expect(code(await as(who, 'POST /auth/step-up', { code: '000000' }))).toEqual([422, 'invalid_credentials'])
    const { token } = data(await as(who, 'POST /auth/step-up', { code: next(secret) })) as { token: string }
    expect(code(await change(who, token, other)), 'another body').toEqual([428, 'step_up_required'])
    expect(code(await as(who, 'DELETE /auth/2fa/totp', undefined, { 'x-step-up': token })), 'another call').toEqual([
      428,
      'step_up_required',
    ])
    // Rejected calls don't use it up, and a second token is valid at the same time.
    const { token: second } = data(await as(who, 'POST /auth/step-up', { code: codes[0]! })) as { token: string }
    const answers = await Promise.all([change(who, token), change(who, token)])
    expect(answers.map((answer) => answer.status).sort()).not.toEqual([200, 200])
    expect(answers.map((answer) => answer.status)).toContain(200)
    const removed = await as(who, 'DELETE /auth/2fa/totp', undefined, { 'x-step-up': second })
    expect(removed.status, String(removed.bytes)).toBe(200)
  })

  test('is kept for the latest twenty requests of a session', async () => {
    const { who, codes } = await withTotp()
    await change(who)
    const { token } = data(await as(who, 'POST /auth/step-up', { code: codes[0]! })) as { token: string }
    for (let n = 0; n < 25; n++) await change(who, undefined, newPassword(who, `engine ${n}`))
    const kept = await app.db.selectFrom('step_ups').select('id').where('user_id', '=', BigInt(who.id)).execute()
    expect(kept).toHaveLength(20)
    expect(code(await change(who, token))).toEqual([428, 'step_up_required'])
  })

  test('belongs to its session', async () => {
    const { who, secret, codes } = await withTotp()
    const { token } = await app.signIn(who, { code: next(secret) })
    const elsewhere: Person = { ...who, token }
    expect(code(await change(who))).toEqual([428, 'step_up_required'])
    expect(code(await as(elsewhere, 'POST /auth/step-up', { code: codes[0]! }))).toEqual([409, 'wrong_state'])
    const granted = data(await as(who, 'POST /auth/step-up', { code: codes[1]! })) as { token: string }
    expect(code(await change(elsewhere, granted.token))).toEqual([428, 'step_up_required'])
    expect((await change(who, granted.token)).status).toBe(200)
  })

  test('expires after five minutes', async () => {
    const { who, codes } = await withTotp()
    await change(who)
    const { token } = data(await as(who, 'POST /auth/step-up', { code: codes[0]! })) as { token: string }
    await app.db
      .updateTable('step_ups')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('user_id', '=', BigInt(who.id))
      .execute()
    expect(code(await change(who, token))).toEqual([428, 'step_up_required'])
  })

  test('is required to add or remove a factor; removing the last one deletes the recovery codes', async () => {
    const { who, codes } = await withTotp()
    const confirmed = async (name: string, body: unknown, recovery: string) => {
      expect(code(await as(who, name, body)), name).toEqual([428, 'step_up_required'])
      const { token } = data(await as(who, 'POST /auth/step-up', { code: recovery })) as { token: string }
      return as(who, name, body, { 'x-step-up': token })
    }
    const options = data(await confirmed('POST /auth/2fa/passkeys/options', { password: who.password }, codes[0]!))
    const key = softwareKey()
    const enrolled = await as(who, 'POST /auth/2fa/passkeys', {
      name: 'k',
      response: key.create(options as { challenge: string }),
    })
    expect(data(enrolled).recovery_codes, 'there are some').toEqual([])
    const { passkeys } = data(await as(who, 'GET /auth/2fa')) as { passkeys: { id: string }[] }
    expect((await confirmed('DELETE /auth/2fa/totp', undefined, codes[1]!)).status).toBe(200)
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({ on: true, totp: false, recovery_codes_left: 8 })

    // With a passkey this time.
    expect(code(await as(who, `DELETE /auth/2fa/passkeys/${passkeys[0]!.id}`))).toEqual([428, 'step_up_required'])
    const question = data(await as(who, 'POST /auth/step-up/passkey-options')) as { challenge: string }
    const { token } = data(await as(who, 'POST /auth/step-up', { passkey: key.get(question) })) as { token: string }
    const removed = await as(who, `DELETE /auth/2fa/passkeys/${passkeys[0]!.id}`, undefined, { 'x-step-up': token })
    expect(removed.status).toBe(200)
    expect(data(await as(who, 'GET /auth/2fa'))).toEqual({
      on: false,
      totp: false,
      passkeys: [],
      recovery_codes_left: 0,
      reset: null,
    })
    expect((await login(who)).status).toBe(200)
  })

  test("another user's passkey is not found", async () => {
    const { who } = await withPasskey()
    const thief = await person()
    const { passkeys } = data(await as(who, 'GET /auth/2fa')) as { passkeys: { id: string }[] }
    for (const id of [passkeys[0]!.id, '0', 'x', '9'.repeat(19)])
      expect(code(await as(thief, `DELETE /auth/2fa/passkeys/${id}`))).toEqual([404, 'not_found'])
    expect(data(await as(who, 'GET /auth/2fa'))).toMatchObject({ on: true })
  })
})

test('a password reset does not remove the second factor', async () => {
  const { who, secret } = await withTotp()
  await app.call(`GET /auth/reset-password?email=${encodeURIComponent(who.email)}`)
  const password = 'analytical engine'
  const hash = await app.hashFor(who.email, /Reset/)
  expect((await app.call('POST /auth/reset-password', { password, confirmPassword: password, hash })).status).toBe(200)
  const renewed = { ...who, password }
  const refused = await login(renewed)
  expect([code(refused), refused.cookie]).toEqual([[428, 'second_factor_required'], undefined])
  expect(code(await login(renewed, { code: '123456' }))).toEqual([422, 'invalid_credentials'])
  expect((await login(renewed, { code: next(secret) })).status).toBe(200)
})

test('limits code guesses', async () => {
  const strict = await startIdentityApp({ rateFactor: 1 })
  try {
    const user = await strict.newUser()
    await strict.confirm(user)
    const { token } = await strict.signIn(user)
    const begun = await strict.call('POST /auth/2fa/totp', { password: user.password }, { token })
    const { secret } = begun.json.data as { secret: string }
    await strict.call('POST /auth/2fa/totp/confirm', { code: totpCode(secret) }, { token })
    const statuses = []
    for (let i = 0; i < 12; i++) {
      const body = { email: user.email, password: user.password, code: String(100_000 + i) }
      statuses.push((await strict.call('POST /auth/login', body)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(422), 428, 428])
    const right = { email: user.email, password: user.password, code: next(secret) }
    expect((await strict.call('POST /auth/login', right)).json.code, 'not without the e-mailed link').toBe(
      'sign_in_link_required',
    )
  } finally {
    await strict.stop()
  }
})
