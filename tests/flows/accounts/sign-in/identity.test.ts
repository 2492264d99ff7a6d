import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type IdentityApp,
  registration,
  startIdentity,
  startIdentityApp,
  tokenOf,
} from '#tests/support/people/identity.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PROFILE = {
  gender: 'female',
  date_of_birth: '1990-12-10',
  address: "12 St. James's Square",
  city: 'London',
  state: 'Greater London',
  country: 'United Kingdom',
}

const { app, me, refresh, confirmedUser, resetHash } = await startIdentity()
afterAll(app.stop)

describe('signing in', () => {
  test('an unknown address and a wrong password get the same response', async () => {
    const user = await app.newUser()
    const wrong = await app.call('POST /auth/login', { email: user.email, password: 'not this' })
    const unknown = await app.call('POST /auth/login', { email: `x${user.email}`, password: 'not this' })
    expect(wrong.status).toBe(422)
    expect(wrong.json.code).toBe('invalid_credentials')
    expect(unknown.bytes).toEqual(wrong.bytes)
    expect(unknown.cookie).toBeUndefined()
  })

  test.each([
    ['no password', { password: '' }, 'password', 'must not be empty'],
    ['no e-mail', { email: '' }, 'email', 'must not be empty'],
    ['an e-mail that is an object', { email: { $ne: '' } }, 'email', 'must be text'],
    ['a remember that is text', { remember: 'yes' }, 'remember', 'must be true or false'],
    ['an unknown field', { admin: true }, 'admin', 'is not a known field'],
  ])('rejects %s', async (_what, change, field, message) => {
    const answer = await app.call('POST /auth/login', { email: 'a@example.org', password: 'bqrvtz', ...change })
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toContainEqual({ field, message })
  })

  test('reports a sign-in lock only to those who know the password', async () => {
    const user = await app.newUser()
    await app.db.updateTable('users').set({ sign_in_locked_at: new Date() }).where('email', '=', user.email).execute()
    const right = await app.call('POST /auth/login', { email: user.email, password: user.password })
    expect(right.status).toBe(403)
    expect(right.json.code).toBe('sign_in_locked')
    const wrong = await app.call('POST /auth/login', { email: user.email, password: 'not this' })
    expect(wrong.json.code).toBe('invalid_credentials')
  })

  test('e-mails the owner about a new device, but not about the first or a known one', async () => {
    const user = await confirmedUser()
    const emails = async () => (await app.mailsTo(user.email)).filter((mail) => /^New sign-in/.test(mail.subject))
    await app.signIn(user)
    await app.signIn(user)
    expect(await emails()).toEqual([])
    await app.signIn(user, {}, { headers: { 'user-agent': FIREFOX } })
    await app.signIn(user, {}, { headers: { 'user-agent': FIREFOX } })
    expect(await emails()).toHaveLength(1)
    expect((await emails())[0]!.text).toContain('Firefox on Linux, from 127.0.0.1')
  })

  test('sends no security e-mails to an unconfirmed address, and no names in any', async () => {
    const name = { firstname: 'Claim your prize', lastname: 'now' }
    const stranger = await app.newUser(name)
    for (const headers of [{}, { 'user-agent': FIREFOX }, {}] as Record<string, string>[])
      await app.signIn(stranger, {}, { headers })
    const { token } = await app.signIn(stranger)
    const change = { current: stranger.password, password: 'difference engine', confirmPassword: 'difference engine' }
    expect((await app.call('PATCH /users/change-password', change, { token })).status).toBe(200)
    const subjects = (await app.mailsTo(stranger.email)).map((mail) => mail.subject)
    expect(subjects).toEqual(['Confirm your e-mail address'])

    const owner = await app.newUser(name)
    await app.confirm(owner)
    await app.signIn(owner)
    const elsewhere = await app.signIn(owner, {}, { headers: { 'user-agent': FIREFOX } })
    await app.call('PATCH /users/change-password', change, { token: elsewhere.token })
    await resetHash(owner.email)
    const mails = await app.mailsTo(owner.email)
    expect(mails).toHaveLength(4)
    for (const { subject, text, html } of mails) expect(subject + text + html).not.toMatch(/prize/i)
  })

  test('no secret is readable in the database', async () => {
    const user = await app.newUser()
    const signedIn = await app.signIn(user)
    const renewed = await refresh(signedIn.renewal)
    const secrets = [
      user.password,
      user.session,
      signedIn.token,
      signedIn.renewal,
      tokenOf(renewed),
      renewed.cookie!.value,
    ]
    for (const table of ['users', 'sessions', 'session_tokens', 'one_time_tokens', 'mails'] as const) {
      const rows = await app.db.selectFrom(table).selectAll().execute()
      const text = rows
        .flatMap((row) => Object.values(row))
        .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
        .join('\n')
      for (const secret of secrets) expect(text.includes(secret)).toBe(false)
    }
  })
})

describe('passwords', () => {
  test('changing it keeps the current session, ends all others and notifies the owner', async () => {
    const user = await confirmedUser()
    const keeping = await app.signIn(user)
    const other = await app.signIn(user)
    const reset = await resetHash(user.email)
    const change = { current: user.password, password: 'difference engine', confirmPassword: 'difference engine' }
    const answer = await app.call('PATCH /users/change-password', change, { token: keeping.token })
    expect(answer.json).toEqual({ status: true, message: 'Password Changed Successfully.' })
    expect((await me(keeping.token)).status).toBe(200)
    expect((await refresh(keeping.renewal)).status).toBe(200)
    expect((await me(other.token)).status).toBe(401)
    expect((await refresh(other.renewal)).status).toBe(401)
    expect((await app.call(`GET /auth/reset-password/details?hash=${reset}`)).json.code).toBe('invalid_hash')
    expect((await app.call('POST /auth/login', { email: user.email, password: user.password })).status).toBe(422)
    await app.signIn({ email: user.email, password: 'difference engine' })
    expect((await app.mailsTo(user.email)).some((mail) => mail.subject === 'Your password was changed')).toBe(true)
  })

  test('a wrong current password, a short new one or a mismatch changes nothing', async () => {
    const user = await app.newUser()
    const { token } = await app.signIn(user)
    const change = async (body: Record<string, unknown>) => {
      const answer = await app.call(
        'PATCH /users/change-password',
        { current: user.password, password: 'bqrvtz', confirmPassword: 'bqrvtz', ...body },
        { token },
      )
      expect(answer.status).toBe(422)
      return answer.json.errors![0]
    }
    expect(await change({ current: 'not this' })).toEqual({ field: 'current', message: 'is wrong' })
    expect(await change({ password: 'abc', confirmPassword: 'abc' })).toMatchObject({ field: 'password' })
    expect(await change({ confirmPassword: 'bqrvtzg' })).toMatchObject({ field: 'confirmPassword' })
    expect(await change({ email: 'new@example.org' })).toMatchObject({ field: 'email' })
    await app.signIn(user)
  })

  test('a reset ends every session and older link', async () => {
    const user = await app.newUser()
    const signedIn = await app.signIn(user)
    const first = await resetHash(user.email)
    const second = await resetHash(user.email)
    expect(second).not.toBe(first)
    const body = { password: 'a new start', confirmPassword: 'a new start' }
    const short = await app.call('POST /auth/reset-password', { password: 'abc', confirmPassword: 'abc', hash: second })
    expect(short.json.errors![0]).toEqual({ field: 'password', message: 'must be at least 8 characters long' })
    const answer = await app.call('POST /auth/reset-password', { ...body, hash: second })
    expect(answer.json).toMatchObject({ status: true, message: expect.any(String) })
    expect((await me(signedIn.token)).status).toBe(401)
    expect((await refresh(signedIn.renewal)).status).toBe(401)
    expect((await app.call('POST /auth/reset-password', { ...body, hash: first })).json.code).toBe('invalid_hash')
    const profile = await app.call('POST /auth/complete-profile', { ...PROFILE, session: user.session })
    expect(profile.json.code).toBe('invalid_session')
    await app.signIn({ email: user.email, password: 'a new start' })
  })

  test("a sign-in with the old password during a reset doesn't survive it", async () => {
    for (let round = 0; round < 5; round++) {
      const user = await app.newUser()
      const hash = await resetHash(user.email)
      const [reset, ...signIns] = await Promise.all([
        app.call('POST /auth/reset-password', { password: 'bqrvtz', confirmPassword: 'bqrvtz', hash }),
        ...Array.from({ length: 4 }, () =>
          app.call('POST /auth/login', { email: user.email, password: user.password }),
        ),
      ])
      expect(reset.status).toBe(200)
      for (const answer of signIns) {
        if (answer.status === 200) expect((await me(tokenOf(answer))).status).toBe(401)
        else expect(answer.json.code).toBe('invalid_credentials')
      }
    }
  })

  test('a reset request gets the same response for everyone, and e-mails only account owners', async () => {
    const user = await app.newUser()
    const known = await app.call(`GET /auth/reset-password?email=${user.email.toUpperCase()}`)
    const unknown = await app.call(`GET /auth/reset-password?email=x${user.email}`)
    expect(known.status).toBe(200)
    expect(unknown.bytes).toEqual(known.bytes)
    await app.hashFor(user.email, /Reset/)
    expect(await app.mailsTo(`x${user.email}`)).toEqual([])
    expect(await app.db.selectFrom('reset_requests').selectAll().execute()).toEqual([])
    for (const query of [
      '',
      '?email=',
      '?email=a',
      '?email=a@example.org&to=b@example.org',
      '?email=a@example.org&email=b@example.org',
    ]) {
      expect([query, (await app.call(`GET /auth/reset-password${query}`)).status]).toEqual([query, 422])
    }
  })
})

describe('limits', () => {
  let limited: IdentityApp
  beforeAll(async () => {
    limited = await startIdentityApp({ rateFactor: 1 })
  })
  afterAll(() => limited.stop())

  test('after ten failed sign-ins, an account takes an e-mailed link for a while; other accounts stay open', async () => {
    const user = await limited.newUser()
    const other = await limited.newUser()
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        limited.call(
          'POST /auth/login',
          { email: n % 2 ? user.email : user.email.toUpperCase(), password: `guess ${n}` },
          { headers: { 'x-forwarded-for': `10.0.0.${n}` } },
        ),
      ),
    )
    expect(guesses.filter((answer) => answer.json.code === 'invalid_credentials')).toHaveLength(10)
    expect(guesses.filter((answer) => answer.json.code === 'sign_in_link_required')).toHaveLength(20)
    const right = await limited.call('POST /auth/login', { email: user.email, password: user.password })
    expect([right.status, right.json.code]).toEqual([428, 'sign_in_link_required'])
    await limited.signIn(other)
  })

  test('an unknown address gets the same answer', async () => {
    const answers: number[] = []
    for (let i = 0; i < 11; i++) {
      answers.push((await limited.call('POST /auth/login', { email: 'nobody@example.org', password: 'x' })).status)
    }
    expect(answers).toEqual([...Array(10).fill(422), 428])
  })

  test('allows five e-mails of one kind an hour per account, known or not', async () => {
    const user = await limited.newUser()
    for (const email of [user.email, 'unknown@example.org']) {
      const answers: number[] = []
      for (let i = 0; i < 6; i++) answers.push((await limited.call(`GET /auth/reset-password?email=${email}`)).status)
      expect(answers).toEqual([...Array(5).fill(200), 429])
    }
    const { token } = await limited.signIn(user)
    const links: number[] = []
    for (let i = 0; i < 6; i++) links.push((await limited.call('GET /auth/verify-email', undefined, { token })).status)
    expect(links).toEqual([...Array(5).fill(200), 429])
  })

  test('allows twenty registrations an hour from one IP address', async () => {
    const before = await limited.db.selectFrom('users').select('id').execute()
    const answers = await Promise.all(
      Array.from({ length: 21 }, () => limited.call('POST /auth/register', registration())),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20 - before.length)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(1 + before.length)
  })
})
