import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSessions } from '#server/identity/index.ts'
import { post } from '#server/ledger/index.ts'
import { createBus } from '#server/platform/bus.ts'
import { inTransaction } from '#server/platform/db.ts'
import { createLog } from '#server/platform/log.ts'
import { type Answer, type IdentityApp, registration, startIdentityApp, storedHash } from '#tests/support/identity.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const PROFILE = {
  gender: 'female',
  date_of_birth: '1990-12-10',
  address: "12 St. James's Square",
  city: 'London',
  state: 'Greater London',
  country: 'United Kingdom',
}

let app: IdentityApp
beforeAll(async () => {
  app = await startIdentityApp()
})
afterAll(() => app.stop())

const me = async (token: string) => app.call('GET /users/me', undefined, { token })
const refresh = async (cookie: string, headers?: Record<string, string>) =>
  app.call('POST /auth/refresh', undefined, { cookie, ...(headers ? { headers } : {}) })
const tokenOf = (answer: Answer) => (answer.json.tokens as { access: { token: string } }).access.token
const codes = (answers: Answer[]) => answers.map((answer) => answer.json.code ?? answer.status).sort()
const twentyTimes = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, n) => work(n)))
const usersWith = (email: string) =>
  app.db.selectFrom('users').selectAll().where('email', '=', email).orderBy('id').execute()

async function confirmedUser() {
  const user = await app.newUser()
  const answer = await app.call('POST /auth/verify-email', { hash: await app.hashFor(user.email, /Confirm/) })
  expect(answer.status).toBe(200)
  return user
}

async function resetHash(email: string) {
  expect((await app.call(`GET /auth/reset-password?email=${encodeURIComponent(email)}`)).status).toBe(200)
  return app.hashFor(email, /Reset/)
}

describe('registration', () => {
  test('a new user registers, signs in and has 10,000 demo dollars', async () => {
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
      phone: form.phone,
      balance: 0,
      demo_balance: 10_000,
      trading_plan: '',
      plan_request: null,
      referral_code: expect.stringMatching(/^[A-Z]{8}$/),
    })
    expect(answer.cookie!.line).toMatch(/; Path=\/api\/auth; HttpOnly; SameSite=Strict$/)
    expect((await me(token)).json).toEqual({ status: true, data: user })
    const hash = await app.hashFor(form.email, /Confirm/)
    const confirmed = await app.call('POST /auth/verify-email', { hash }, { token })
    expect(confirmed.json).toEqual({ status: true, message: 'Your e-mail is confirmed. Thank you!' })
    expect((await me(token)).json.data).toMatchObject({ email_verified: true })
  })

  test('the phone is optional, and a referral code is stored if it belongs to a user', async () => {
    const friend = await app.signIn(await app.newUser())
    const code = friend.user.referral_code as string
    const named = await app.newUser({ referral_code: code.toLowerCase(), phone: undefined })
    const unnamed = await app.newUser({ referral_code: '', phone: '' })
    expect((await usersWith(named.email))[0]).toMatchObject({ referred_by: BigInt(friend.user.id), phone: '' })
    expect((await usersWith(unnamed.email))[0]).toMatchObject({ referred_by: null, phone: '' })
    const form = registration({ referral_code: 'NOBODYS' })
    const refused = await app.call('POST /auth/register', form)
    expect(refused.json).toMatchObject({
      code: 'validation_failed',
      errors: [{ field: 'referral_code', message: "This code doesn't exist. Check it, or leave it empty." }],
    })
    expect(await usersWith(form.email)).toEqual([])
  })

  test.each([
    ['an unknown field', { nickname: 'A' }, 'nickname', 'is not a known field'],
    ['a verified address from outside', { email_verified: true }, 'email_verified', 'is not a known field'],
    ['a balance', { balance: 1_000_000 }, 'balance', 'is not a known field'],
    ['an id', { id: '1' }, 'id', 'is not a known field'],
    ['a plan', { trading_plan: 'Diamond-50730' }, 'trading_plan', 'is not a known field'],
    ['a role', { role: 'admin' }, 'role', 'is not a known field'],
    ['no first name', { firstname: undefined }, 'firstname', 'is required'],
    ['an empty last name', { lastname: '  ' }, 'lastname', 'is required'],
    ['a name that is a number', { firstname: 7 }, 'firstname', 'must be text'],
    ['a name that is a list', { firstname: ['Ada'] }, 'firstname', 'must be text'],
    ['a name with U+0000', { firstname: 'A\0da' }, 'firstname', 'is invalid'],
    ['a name of 61 characters', { firstname: 'a'.repeat(61) }, 'firstname', 'must be at most 60 characters long'],
    ['no e-mail', { email: '' }, 'email', 'must not be empty'],
    ['an e-mail without a domain', { email: 'ada@' }, 'email', 'is invalid'],
    ['a second recipient', { email: 'ok@example.org\r\nBcc: evil@example.org' }, 'email', 'is invalid'],
    ['two e-mails', { email: 'a@example.org,b@example.org' }, 'email', 'is invalid'],
    ['a group of e-mails', { email: 'all:a@example.org;' }, 'email', 'is invalid'],
    ['an e-mail in brackets', { email: 'Ada <a@example.org>' }, 'email', 'is invalid'],
    [
      'a long e-mail',
      { email: `${'a'.repeat(60)}@${'b.'.repeat(120)}org` },
      'email',
      'must be at most 254 characters long',
    ],
    ['a short phone', { phone: '12345' }, 'phone', 'must be at least 10 characters long'],
    [
      'a short password',
      { password: '12345', confirmPassword: '12345' },
      'password',
      'must be at least 8 characters long',
    ],
    ['no password', { password: '', confirmPassword: '' }, 'password', 'is required'],
    ['a long password', { password: 'x'.repeat(129) }, 'password', 'must be at most 128 characters long'],
    [
      'another confirmation',
      { confirmPassword: 'x'.repeat(9) },
      'confirmPassword',
      'Password and Confirm Password does not match',
    ],
  ])('rejects %s on its field and writes nothing', async (_what, change, field, message) => {
    const before = await app.db
      .selectFrom('users')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    const answer = await app.call('POST /auth/register', registration(change))
    expect(answer.status).toBe(422)
    expect(answer.json).toMatchObject({ status: false, code: 'validation_failed' })
    expect(answer.json.errors).toContainEqual({ field, message })
    const after = await app.db
      .selectFrom('users')
      .select(({ fn }) => fn.countAll().as('n'))
      .executeTakeFirstOrThrow()
    expect(after).toEqual(before)
  })

  test("rejects a body that isn't a JSON object", async () => {
    for (const [body, status] of [
      ['{"firstname":', 400],
      ['[]', 422],
      ['"text"', 422],
      ['null', 422],
      ['{"__proto__":{"role":"admin"}}', 400],
    ] as const) {
      const answer = await app.call('POST /auth/register', body, { headers: { 'content-type': 'application/json' } })
      expect([body, answer.status]).toEqual([body, status])
    }
    expect((await app.call('POST /auth/register', 'a=b', { headers: { 'content-type': 'text/plain' } })).status).toBe(
      415,
    )
  })

  test('rejects a confirmed address in any letter case', async () => {
    const user = await confirmedUser()
    const again = await app.call('POST /auth/register', registration({ email: user.email.toUpperCase() }))
    expect(again.status).toBe(409)
    expect(again.json).toMatchObject({
      code: 'already_exists',
      message: 'An account with this e-mail already exists',
    })
    await app.signIn(user)
  })

  test('an unconfirmed address can be registered again with another password, which ends the older sessions', async () => {
    const older = await app.newUser()
    const signedIn = await app.signIn(older)
    const reset = await resetHash(older.email)
    const newer = await app.newUser({ email: older.email, password: 'another one', confirmPassword: 'another one' })

    expect((await me(signedIn.token)).status).toBe(401)
    expect((await refresh(signedIn.renewal)).status).toBe(401)
    const attempts = await Promise.all([
      app.call('POST /auth/reset-password', { hash: reset, password: 'abcdef', confirmPassword: 'abcdef' }),
      app.call('POST /auth/login', { email: older.email, password: older.password }),
    ])
    expect(attempts.map((answer) => answer.json.code)).toEqual(['invalid_hash', 'invalid_credentials'])
    const { user } = await app.signIn(newer)
    expect(user.id).not.toBe(signedIn.user.id)
    expect(user).toMatchObject({ email_verified: false, demo_balance: 10_000 })
  })

  test('registering again with the same password keeps the account, its links and its sessions', async () => {
    const first = await app.newUser()
    const signedIn = await app.signIn(first)
    const hash = await app.hashFor(first.email, /Confirm/)
    const again = await app.newUser({ email: first.email, firstname: 'Augusta' })
    expect(again.session).not.toBe(first.session)
    expect((await me(signedIn.token)).json.data).toMatchObject({ id: signedIn.user.id, firstname: 'Augusta' })
    for (const session of [first.session, again.session])
      expect((await app.call('POST /auth/complete-profile', { ...PROFILE, session })).status).toBe(200)
    expect((await app.call('POST /auth/verify-email', { hash })).status).toBe(200)
    expect(await usersWith(first.email)).toHaveLength(1)
  })

  test("a stranger who registers the address again doesn't invalidate the owner's links", async () => {
    const owner = await app.newUser()
    const { user } = await app.signIn(owner)
    const hash = await app.hashFor(owner.email, /Confirm/)
    const stranger = await app.newUser({ email: owner.email, password: 'a stranger', confirmPassword: 'a stranger' })
    const inUse = await app.signIn(stranger)
    const profile = await app.call('POST /auth/complete-profile', { ...PROFILE, session: owner.session })
    expect(profile.status).toBe(200)

    const confirmed = await app.call('POST /auth/verify-email', { hash })
    expect(confirmed.status, String(confirmed.bytes)).toBe(200)
    expect((await me(inUse.token)).status).toBe(401)
    expect((await app.call('POST /auth/login', stranger)).json.code).toBe('validation_failed')
    const { email, password } = stranger
    expect((await app.call('POST /auth/login', { email, password })).json.code).toBe('invalid_credentials')
    expect((await app.signIn(owner)).user).toMatchObject({ id: user.id, email_verified: true, city: PROFILE.city })
    const late = await app.call('POST /auth/complete-profile', { ...PROFILE, session: stranger.session })
    expect(late.json.code).toBe('invalid_session')
  })

  test('of two registrations with different passwords, only one can be confirmed', async () => {
    const first = await app.newUser()
    const firstHash = await app.hashFor(first.email, /Confirm/)
    await app.newUser({ email: first.email, password: 'another one', confirmPassword: 'another one' })
    const mails = (await app.mailsTo(first.email)).filter((mail) => /Confirm/.test(mail.subject))
    const secondHash = new URL(mails[0]!.links[0]!).searchParams.get('hash')!
    expect(secondHash).not.toBe(firstHash)
    const answers = await Promise.all(
      [firstHash, secondHash].map((hash) => app.call('POST /auth/verify-email', { hash })),
    )
    expect(codes(answers)).toEqual([200, 'invalid_hash'])
    const living = (await usersWith(first.email)).filter((row) => row.ended_at === null)
    expect(living.map((row) => row.email_confirmed_at !== null)).toEqual([true])
  })

  test('an unconfirmed account that has held money is never superseded', async () => {
    const user = await app.newUser()
    const [row] = await usersWith(user.email)
    await inTransaction(app.db, (tx) =>
      post(tx, {
        userId: row!.id,
        book: 'real',
        cause: 'deposit_credit',
        causeId: row!.id,
        parts: [{ debit: 'external_in', credit: 'balance', amount: 100n as never }],
      }),
    )
    const again = await app.call('POST /auth/register', registration({ email: user.email }))
    expect(again.json).toMatchObject({ code: 'already_exists' })
    expect((await app.signIn(user)).user.balance).toBe(1)
  })

  test('twenty parallel registrations of one address leave one usable account', async () => {
    const email = `twenty-${Date.now()}@example.org`
    const answers = await twentyTimes((n) =>
      app.call('POST /auth/register', registration({ email, password: `engine ${n}`, confirmPassword: `engine ${n}` })),
    )
    expect(codes(answers)).toEqual(Array(20).fill(200))
    const rows = await usersWith(email)
    expect(rows).toHaveLength(20)
    expect(rows.filter((row) => row.ended_at === null)).toHaveLength(1)
  })

  test('of a confirmation and a parallel registration, exactly one wins', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await app.newUser()
      const hash = await app.hashFor(user.email, /Confirm/)
      const [confirmed, again] = await Promise.all([
        app.call('POST /auth/verify-email', { hash }),
        app.call(
          'POST /auth/register',
          registration({ email: user.email, password: 'another one', confirmPassword: 'another one' }),
        ),
      ])
      expect([
        [200, 200],
        [200, 'already_exists'],
      ]).toContainEqual([confirmed.json.code ?? confirmed.status, again.json.code ?? again.status])
      const living = (await usersWith(user.email)).filter((row) => row.ended_at === null)
      expect(living.map((row) => row.email_confirmed_at !== null)).toEqual([confirmed.status === 200])
    }
  })
})

describe('the profile', () => {
  test('can be completed repeatedly within the onboarding session', async () => {
    const user = await app.newUser()
    const first = await app.call('POST /auth/complete-profile', { ...PROFILE, session: user.session })
    expect(first.json).toEqual({ status: true, message: 'Profile Saved Successfully!' })
    await app.call('POST /auth/complete-profile', { ...PROFILE, city: 'Leeds', session: user.session })
    expect((await app.signIn(user)).user).toMatchObject({ ...PROFILE, city: 'Leeds' })
  })

  test.each([
    ['a country outside the list', { country: 'Atlantis' }, 'country', 'is invalid'],
    ['a gender outside the list', { gender: 'x' }, 'gender', 'is invalid'],
    ['no gender', { gender: undefined }, 'gender', 'must not be empty'],
    ['a birthday to come', { date_of_birth: '2190-01-01' }, 'date_of_birth', 'is invalid'],
    ['a day that is none', { date_of_birth: '1990-02-30' }, 'date_of_birth', 'is invalid'],
    ['no address', { address: '' }, 'address', 'must not be empty'],
    ['a long city', { city: 'x'.repeat(101) }, 'city', 'must be at most 100 characters long'],
    ['no session', { session: undefined }, 'session', 'Session is required'],
    ['another user by number', { user_id: 1 }, 'user_id', 'is not a known field'],
  ])('rejects %s', async (_what, change, field, message) => {
    const user = await app.newUser()
    const answer = await app.call('POST /auth/complete-profile', { ...PROFILE, session: user.session, ...change })
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toContainEqual({ field, message })
  })
})

describe('one-time tokens', () => {
  test('a confirmation link works once, even in twenty parallel requests', async () => {
    const user = await app.newUser()
    const hash = await app.hashFor(user.email, /Confirm/)
    const answers = await twentyTimes(() => app.call('POST /auth/verify-email', { hash }))
    expect(codes(answers)).toEqual([200, ...Array(19).fill('invalid_hash')])
  })

  test("a reset link works once, even in twenty parallel requests, and sets the winner's password", async () => {
    const user = await app.newUser()
    const hash = await resetHash(user.email)
    expect((await app.call(`GET /auth/reset-password/details?hash=${hash}`)).json.data).toEqual({ email: user.email })
    const answers = await twentyTimes((n) =>
      app.call('POST /auth/reset-password', { hash, password: `number ${n}`, confirmPassword: `number ${n}` }),
    )
    expect(codes(answers)).toEqual([200, ...Array(19).fill('invalid_hash')])
    const winner = answers.findIndex((answer) => answer.status === 200)
    await app.signIn({ email: user.email, password: `number ${winner}` })
    expect((await app.call(`GET /auth/reset-password/details?hash=${hash}`)).json.code).toBe('invalid_hash')
  })

  test('each is valid only for its purpose and lifetime', async () => {
    const user = await app.newUser()
    const confirm = await app.hashFor(user.email, /Confirm/)
    const reset = await resetHash(user.email)
    const newPassword = { password: 'abcdef', confirmPassword: 'abcdef' }
    const wrongDoors = await Promise.all([
      app.call('POST /auth/verify-email', { hash: user.session }),
      app.call('POST /auth/verify-email', { hash: reset }),
      app.call('POST /auth/reset-password', { ...newPassword, hash: confirm }),
      app.call('POST /auth/reset-password', { ...newPassword, hash: user.session }),
      app.call('POST /auth/complete-profile', { ...PROFILE, session: confirm }),
      app.call('POST /auth/complete-profile', { ...PROFILE, session: 'guessed' }),
      me(user.session),
    ])
    expect(wrongDoors.map((answer) => answer.json.code)).toEqual([
      ...Array(4).fill('invalid_hash'),
      ...Array(2).fill('invalid_session'),
      'unauthenticated',
    ])
    for (const [secret, hours] of [
      [user.session, 24],
      [confirm, 24],
      [reset, 1],
    ] as const) {
      const row = await app.db
        .selectFrom('one_time_tokens')
        .selectAll()
        .where('hash', '=', storedHash(secret))
        .executeTakeFirstOrThrow()
      expect(Math.round((row.expires_at.getTime() - row.created_at.getTime()) / 3_600_000)).toBe(hours)
    }
    await app.db.updateTable('one_time_tokens').set({ expires_at: new Date() }).execute()
    expect((await app.call('POST /auth/verify-email', { hash: confirm })).json.code).toBe('invalid_hash')
    expect((await app.call('POST /auth/reset-password', { ...newPassword, hash: reset })).json.code).toBe(
      'invalid_hash',
    )
    expect((await app.call('POST /auth/complete-profile', { ...PROFILE, session: user.session })).json.code).toBe(
      'invalid_session',
    )
  })

  test('another confirmation link can be requested until the address is confirmed', async () => {
    const user = await app.newUser()
    const { token } = await app.signIn(user)
    const first = await app.hashFor(user.email, /Confirm/)
    expect((await app.call('GET /auth/verify-email', undefined, { token })).status).toBe(200)
    const second = await app.hashFor(user.email, /Confirm/)
    expect(second).not.toBe(first)
    expect((await app.call('POST /auth/verify-email', { hash: second }, { token })).status).toBe(200)
    expect((await app.call('POST /auth/verify-email', { hash: first })).json.code).toBe('invalid_hash')
    expect((await app.call('GET /auth/verify-email', undefined, { token })).json.code).toBe('wrong_state')
    expect((await app.call('GET /auth/verify-email')).status).toBe(401)
  })
})

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

  test('and in the same time, as do reset requests for known and unknown addresses', async () => {
    const user = await app.newUser()
    const timed = async (work: () => Promise<unknown>) => {
      const began = performance.now()
      await work()
      return performance.now() - began
    }
    const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
    const login: number[] = []
    const reset: number[] = []
    for (let i = 0; i < 15; i++) {
      const ratio = async (ask: (email: string) => Promise<unknown>) =>
        (await timed(() => ask(`x${user.email}`))) / (await timed(() => ask(user.email)))
      login.push(await ratio((email) => app.call('POST /auth/login', { email, password: 'not this' })))
      if (i < 9) reset.push(await ratio((email) => app.call(`GET /auth/reset-password?email=${email}`)))
    }
    expect(median(login)).toBeGreaterThan(0.6)
    expect(median(login)).toBeLessThan(1.67)
    expect(median(reset)).toBeGreaterThan(0.8)
    expect(median(reset)).toBeLessThan(1.25)
  })

  test.each([
    ['no password', { password: '' }, 'password', 'must not be empty'],
    ['no e-mail', { email: '' }, 'email', 'must not be empty'],
    ['an e-mail that is an object', { email: { $ne: '' } }, 'email', 'must be text'],
    ['a remember that is text', { remember: 'yes' }, 'remember', 'must be true or false'],
    ['an unknown field', { admin: true }, 'admin', 'is not a known field'],
  ])('rejects %s', async (_what, change, field, message) => {
    const answer = await app.call('POST /auth/login', { email: 'a@example.org', password: 'abcdef', ...change })
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

  test("other people's, ended and invented sessions are all not found", async () => {
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
    const signedIn = await app.signIn(await app.newUser(), { remember: true })
    expect(signedIn.answer.cookie!.line).toMatch(/Max-Age=2592000/)
    const renewed = await refresh(signedIn.renewal)
    expect(renewed.cookie!.line).toMatch(/Max-Age=25919\d\d/)
    const token = tokenOf(renewed)
    expect(token).not.toBe(signedIn.token)
    expect((await me(token)).status).toBe(200)
    expect((await me(signedIn.token)).status).toBe(200)
    const out = await app.call('POST /auth/logout', undefined, { cookie: renewed.cookie!.value })
    expect(out.json).toEqual({ status: true, message: 'You are signed out.' })
    expect(out.cookie!.value).toBe('')
    expect((await me(token)).status).toBe(401)
    expect((await refresh(renewed.cookie!.value)).status).toBe(401)
    expect((await app.call('POST /auth/logout')).status).toBe(200)
  })

  test('signing out with the token alone ends the session too', async () => {
    const signedIn = await app.signIn(await app.newUser())
    expect((await app.call('POST /auth/logout', undefined, { token: signedIn.token })).status).toBe(200)
    expect((await me(signedIn.token)).status).toBe(401)
    expect((await refresh(signedIn.renewal)).status).toBe(401)
  })

  test('a renewal token returns the same successor for ten seconds, from twenty parallel tabs', async () => {
    const signedIn = await app.signIn(await app.newUser())
    const answers = await twentyTimes(() => refresh(signedIn.renewal))
    expect(new Set(answers.map((answer) => answer.cookie!.value)).size).toBe(1)
    expect(new Set(answers.map(tokenOf)).size).toBe(1)
    expect(answers[0]!.cookie!.value).not.toBe(signedIn.renewal)
    expect((await me(tokenOf(answers[0]!))).status).toBe(200)
    expect((await refresh(answers[0]!.cookie!.value)).status).toBe(200)
  })

  test('a renewal token used later than that ends the session', async () => {
    const signedIn = await app.signIn(await app.newUser())
    const child = await refresh(signedIn.renewal)
    await app.db
      .updateTable('session_tokens')
      .set({ renewed_at: new Date(Date.now() - 11_000) })
      .where('renewal_hash', '=', storedHash(signedIn.renewal))
      .execute()
    expect((await refresh(signedIn.renewal)).json.code).toBe('unauthenticated')
    expect((await refresh(child.cookie!.value)).status).toBe(401)
    expect((await me(tokenOf(child))).status).toBe(401)
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

  test('another node drops an ended session and closes its sockets within a second', async () => {
    const log = createLog('silent')
    const bus = createBus<{ 'session-ended': { userId: bigint; sessionIds: bigint[] } }>(log)
    const told: bigint[] = []
    bus.subscribe('session-ended', ({ sessionIds }) => told.push(...sessionIds))
    const node = startSessions({ db: app.db, log, bus })
    try {
      const user = await app.newUser()
      const signedIn = await app.signIn(user)
      const who = await node.authenticate(signedIn.token)
      expect(who).toMatchObject({ userId: BigInt(signedIn.user.id) })
      const began = performance.now()
      await app.call('POST /auth/logout', undefined, { token: signedIn.token })
      while ((await node.authenticate(signedIn.token)) && performance.now() - began < 3_000) await sleep(10)
      expect(performance.now() - began).toBeLessThan(1_000)
      // Repeated while recent, so that a socket being opened at that moment is closed as well.
      const times = () => told.filter((id) => id === who!.sessionId).length
      expect(times()).toBeGreaterThanOrEqual(1)
      await sleep(1_000)
      expect(times()).toBeGreaterThanOrEqual(2)
    } finally {
      await node.stop()
    }
  })

  test('a node finds sessions that ended while it was cut off', async () => {
    const log = createLog('silent')
    const bus = createBus<{ 'session-ended': { userId: bigint; sessionIds: bigint[] } }>(log)
    const told: bigint[] = []
    bus.subscribe('session-ended', ({ sessionIds }) => told.push(...sessionIds))
    const node = startSessions({ db: app.db, log, bus, readEveryMs: 800, windowSeconds: 0.1 })
    try {
      const signedIn = await app.signIn(await app.newUser())
      const { sessionId } = (await node.authenticate(signedIn.token))!
      await sleep(200)
      await app.call('POST /auth/logout', undefined, { token: signedIn.token })
      await sleep(900)
      expect(told).toContain(sessionId)
    } finally {
      await node.stop()
    }
  })

  test("a node that can't read ended sessions stops trusting its cache after 0.9 s", async () => {
    const log = createLog('silent')
    const node = startSessions({ db: app.db, log, bus: createBus(log), readEveryMs: 60_000 })
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
        { current: user.password, password: 'abcdef', confirmPassword: 'abcdef', ...body },
        { token },
      )
      expect(answer.status).toBe(422)
      return answer.json.errors![0]
    }
    expect(await change({ current: 'not this' })).toEqual({ field: 'current', message: 'is wrong' })
    expect(await change({ password: 'abc', confirmPassword: 'abc' })).toMatchObject({ field: 'password' })
    expect(await change({ confirmPassword: 'abcdefg' })).toMatchObject({ field: 'confirmPassword' })
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
        app.call('POST /auth/reset-password', { password: 'abcdef', confirmPassword: 'abcdef', hash }),
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

  test('ten failed sign-ins lock an account for a while; other accounts stay open', async () => {
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
    expect(guesses.filter((answer) => answer.status === 429)).toHaveLength(20)
    const right = await limited.call('POST /auth/login', { email: user.email, password: user.password })
    expect(right.status).toBe(429)
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    await limited.signIn(other)
  })

  test('an unknown address is locked in the same way', async () => {
    const answers: number[] = []
    for (let i = 0; i < 11; i++) {
      answers.push((await limited.call('POST /auth/login', { email: 'nobody@example.org', password: 'x' })).status)
    }
    expect(answers).toEqual([...Array(10).fill(422), 429])
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
