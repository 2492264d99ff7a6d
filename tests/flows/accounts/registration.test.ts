import { afterAll, describe, expect, test } from 'vitest'
import { post } from '#server/ledger/index.ts'
import { inTransaction } from '#server/platform/database/db.ts'
import { codes, registration, startIdentity, storedHash } from '#tests/support/people/identity.ts'
import { twenty } from '#tests/support/replies.ts'

const PROFILE = {
  gender: 'female',
  date_of_birth: '1990-12-10',
  address: "12 St. James's Square",
  city: 'London',
  state: 'Greater London',
  country: 'United Kingdom',
}

const { app, me, refresh, usersWith, confirmedUser, resetHash } = await startIdentity()
afterAll(app.stop)

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
    ['an email_verified field', { email_verified: true }, 'email_verified', 'is not a known field'],
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
    ['a short phone number', { phone: '12345' }, 'phone', 'must be at least 10 characters long'],
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

  test('rejects a confirmed address in upper and lower case', async () => {
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
      app.call('POST /auth/reset-password', { hash: reset, password: 'bqrvtz', confirmPassword: 'bqrvtz' }),
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

  test('who gets the confirmation e-mail can close an account that is not theirs: the address is free', async () => {
    const stranger = await app.newUser()
    const inUse = await app.signIn(stranger)
    const hash = await app.hashFor(stranger.email, /Confirm/)
    const answers = await twenty(() => app.call('POST /auth/disown-email', { hash }))
    expect(codes(answers)).toEqual([200, ...Array(19).fill('invalid_hash')])
    expect((await me(inUse.token)).status).toBe(401)
    const { email, password } = stranger
    expect((await app.call('POST /auth/login', { email, password })).json.code).toBe('invalid_credentials')
    const late = await app.call('POST /auth/complete-profile', { ...PROFILE, session: stranger.session })
    expect(late.json.code).toBe('invalid_session')
    expect((await app.call('POST /auth/verify-email', { hash })).json.code).toBe('invalid_hash')
    const owner = await app.newUser({ email, password: 'the owner', confirmPassword: 'the owner' })
    await app.confirm(owner)
    expect((await app.signIn(owner)).user.email_verified).toBe(true)
  })

  test('a link closes neither a confirmed account nor a newer one of the address', async () => {
    const user = await app.newUser()
    const hash = await app.hashFor(user.email, /Confirm/)
    await app.confirm(user)
    expect((await app.call('POST /auth/disown-email', { hash })).json.code).toBe('invalid_hash')
    const older = await app.newUser()
    const olderHash = await app.hashFor(older.email, /Confirm/)
    const newer = await app.newUser({ email: older.email, password: 'another one', confirmPassword: 'another one' })
    expect((await app.call('POST /auth/disown-email', { hash: olderHash })).status).toBe(200)
    expect((await app.signIn(newer)).user.email).toBe(older.email)
    expect((await app.call('POST /auth/verify-email', { hash: olderHash })).json.code).toBe('invalid_hash')
  })

  test('an unconfirmed account that has held money is never superseded', async () => {
    const user = await app.newUser()
    const [row] = await usersWith(user.email)
    await inTransaction(app.db, (tx) =>
      post(tx, {
        userId: row!.id,
        mode: 'real',
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
    const answers = await twenty((n) =>
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
    ['a future birthday', { date_of_birth: '2190-01-01' }, 'date_of_birth', 'is invalid'],
    ['a day that does not exist', { date_of_birth: '1990-02-30' }, 'date_of_birth', 'is invalid'],
    ['no address', { address: '' }, 'address', 'must not be empty'],
    ['a long city', { city: 'x'.repeat(101) }, 'city', 'must be at most 100 characters long'],
    ['no session', { session: undefined }, 'session', 'Session is required'],
    ['another user by id', { user_id: 1 }, 'user_id', 'is not a known field'],
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
    const answers = await twenty(() => app.call('POST /auth/verify-email', { hash }))
    expect(codes(answers)).toEqual([200, ...Array(19).fill('wrong_state')])
    expect(answers.map(({ json }) => json.message)).toContain('Your e-mail is already confirmed.')
  })

  test("a reset link works once, even in twenty parallel requests, and sets the winner's password", async () => {
    const user = await app.newUser()
    const hash = await resetHash(user.email)
    expect((await app.call(`GET /auth/reset-password/details?hash=${hash}`)).json.data).toEqual({ email: user.email })
    const answers = await twenty((n) =>
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
    const newPassword = { password: 'bqrvtz', confirmPassword: 'bqrvtz' }
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
    expect((await app.call('POST /auth/verify-email', { hash: first })).json.code).toBe('wrong_state')
    expect((await app.call('GET /auth/verify-email', undefined, { token })).json.code).toBe('wrong_state')
    expect((await app.call('GET /auth/verify-email')).status).toBe(401)
  })
})
