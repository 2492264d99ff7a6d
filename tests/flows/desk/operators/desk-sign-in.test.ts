import { afterAll, describe, expect, test } from 'vitest'
import type { Problem } from '#contract/problem.ts'
import { join } from '#server/desk/access/join.ts'
import { signInOperator } from '#server/desk/access/sign-in.ts'
import { deskLimits, inviteFromHost } from '#server/desk/index.ts'
import { openPasswords } from '#server/identity/index.ts'
import { filesKey } from '#server/platform/files/index.ts'
import { openRateLimits } from '#server/platform/http/limits/rate-limit.ts'
import { openOutbox } from '#server/platform/mail/index.ts'
import { openSeal } from '#server/platform/secrets/seal.ts'
import {
  DESK_PASSWORD,
  type DeskOperator,
  operator,
  signInAgain,
  startDesk,
  timeLeftInPeriod,
} from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import { totpCode } from '#tests/support/totp-code.ts'

const { app, finance, admin, asSuper, stop } = await startDesk()
afterAll(stop)

describe('joining and signing in', () => {
  const login = (body: object) => app.send('POST', '/api/desk/auth/login', { body })

  test('accepts an invitation once, and activates the account only with a code', async () => {
    const email = 'joining@desk.example'
    const { token } = await inviteFromHost(app.db, { email, roles: ['support'] })
    const early = await app.send('POST', '/api/desk/auth/join/confirm', { body: { token, code: '123456' } })
    expect(refusal(early)).toEqual([422, 'invalid_hash'])
    const { secret, otpauth_url } = data<{ secret: string; otpauth_url: string }>(
      await app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } }),
    )
    expect(otpauth_url).toMatch(/^otpauth:\/\/totp\/.*joining%40desk\.example\?.*secret=/)
    await timeLeftInPeriod()
    const past = totpCode(secret, Date.now() - 30_000)
    expect(refusal(await login({ email, password: DESK_PASSWORD, code: past })), 'not before its code').toEqual([
      422,
      'invalid_credentials',
    ])
    const wrong = await app.send('POST', '/api/desk/auth/join/confirm', { body: { token, code: '000000' } })
    expect(refusal(wrong)).toEqual([422, 'invalid_credentials'])
    const replies = await twenty(() => app.send('POST', '/api/desk/auth/join/confirm', { body: { token, code: past } }))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(422)])
    const again = await app.send('POST', '/api/desk/auth/join', { body: { token, password: 'another one' } })
    expect(refusal(again)).toEqual([422, 'invalid_hash'])
    expect(refusal(await login({ email, password: DESK_PASSWORD, code: past })), 'the code that joined').toEqual([
      422,
      'invalid_credentials',
    ])
    expect((await login({ email, password: DESK_PASSWORD, code: totpCode(secret) })).status).toBe(200)
  })

  test('expires a link after 15 minutes', async () => {
    const { token } = await inviteFromHost(app.db, { email: 'late@desk.example', roles: ['risk'] })
    const { rows } = await app.pool.query<{ minutes: number }>(
      `select extract(epoch from expires_at - created_at)::int / 60 as minutes from operator_invitations
       where email = 'late@desk.example'`,
    )
    expect(rows).toEqual([{ minutes: 15 }])
    await asSuper(`update operator_invitations set expires_at = now() where email = 'late@desk.example'`)
    const reply = await app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } })
    expect(refusal(reply)).toEqual([422, 'invalid_hash'])
  })

  test('accepts a code once, even twenty times at once', async () => {
    const { email, secret } = await operator(app, ['support'])
    const body = { email, password: DESK_PASSWORD, code: totpCode(secret, Date.now() + 30_000) }
    const replies = await twenty(() => login(body))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(422)])
    expect(refusal(await login(body))).toEqual([422, 'invalid_credentials'])
  })

  test('gives the same response for an unknown address, a wrong password and a wrong code', async () => {
    const { email, secret } = await operator(app, ['support'])
    const code = totpCode(secret, Date.now() + 30_000)
    const replies = await Promise.all([
      login({ email: 'nobody@desk.example', password: DESK_PASSWORD, code }),
      login({ email, password: 'wrong', code }),
      login({ email, password: DESK_PASSWORD, code: '000000' }),
    ])
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(refusal(replies[0]!)).toEqual([422, 'invalid_credentials'])
  })

  test('rejects a common password, and the invitation remains valid', async () => {
    const email = 'careless@desk.example'
    const { token } = await inviteFromHost(app.db, { email, roles: ['support'] })
    const seal = openSeal(filesKey(app.folder, undefined), 'operator')
    const clock = { now: Date.now, agrees: () => true }
    const deps = { db: app.db, clock, limits: deskLimits(openRateLimits(1)), seal, brand: 'Cleartick' }
    for (const password of ['Password1', email])
      await expect(join({ ...deps, passwords: openPasswords() }, { token, password })).rejects.toMatchObject({
        errors: [{ field: 'password' }],
      })
    const inTest = await app.send('POST', '/api/desk/auth/join', { body: { token, password: 'Password1' } })
    expect(inTest.status, 'a test installation accepts it').toBe(200)
  })

  test('allows five wrong codes, or ten wrong passwords, in 15 minutes', async () => {
    const from = { ip: '192.0.2.1', userAgent: '', cookies: {}, setCookie: () => undefined }
    const seal = openSeal(filesKey(app.folder, undefined), 'operator')
    const mail = openOutbox(() => undefined)
    const clock = { now: Date.now, agrees: () => true }
    const passwords = openPasswords()
    const limits = deskLimits(openRateLimits(1))
    const deps = { db: app.db, clock, limits, passwords, seal, mail, brand: 'Cleartick', publicUrl: () => '' }
    const tries = async (form: { email: string; password: string; code: string }, times: number) => {
      const codes: string[] = []
      for (let n = 0; n < times; n++)
        codes.push(
          await signInOperator(deps, form, from).then(
            () => 'in',
            (problem: Problem) => problem.code,
          ),
        )
      return codes
    }
    const { email, secret } = await operator(app, ['support'])
    const good = { email, password: DESK_PASSWORD, code: totpCode(secret, Date.now() + 30_000) }
    expect(await tries({ ...good, code: '000000' }, 5)).toEqual(Array(5).fill('invalid_credentials'))
    expect(await tries(good, 1), 'the right one too').toEqual(['sign_in_link_required'])
    for (const unknown of [(await operator(app, ['support'])).email, 'nobody@desk.example'])
      expect(await tries({ ...good, email: unknown, password: 'wrong' }, 11)).toEqual([
        ...Array(10).fill('invalid_credentials'),
        'sign_in_link_required',
      ])
    const another = await operator(app, ['support'])
    const code = totpCode(another.secret, Date.now() + 30_000)
    expect(await tries({ ...good, email: another.email, code }, 1), 'nobody else waits').toEqual(['in'])
  })

  test('ends a session after 12 hours and on sign-out', async () => {
    const one = await operator(app, ['support'])
    const { rows } = await app.pool.query<{ hours: number }>(
      `select extract(epoch from expires_at - created_at)::int / 3600 as hours from operator_sessions where operator_id = $1`,
      [one.id],
    )
    expect(rows).toEqual([{ hours: 12 }])
    await asSuper(`update operator_sessions set expires_at = now() where operator_id = ${one.id}`)
    expect(refusal(await one.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
    const again = await signInAgain(app, one, Date.now() + 30_000)
    expect((await again.ask('POST', '/auth/logout')).status).toBe(200)
    expect(refusal(await again.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
  })

  test('ends sessions at once when access ends or roles change', async () => {
    const one = await operator(app, ['support'])
    const path = `/operators/${one.id}`
    expect((await one.ask('GET', '/auth/me')).status).toBe(200)
    const change = data<{ id: string }>(
      await admin[0]!.ask('POST', `${path}/roles`, { body: { roles: ['risk'], reason: 'moved' } }),
    )
    expect(change).toMatchObject({ kind: 'roles', roles: ['risk'], status: 'Pending', own: true })
    expect((await one.ask('GET', '/auth/me')).json, 'nothing has changed yet').toMatchObject({
      data: { roles: ['support'] },
    })
    const approve = (who: DeskOperator) => who.ask('POST', `/operator-changes/${change.id}/approve`)
    expect(refusal(await approve(admin[0]!))).toEqual([409, 'second_person_required'])
    const replies = await Promise.all(Array.from({ length: 5 }, () => approve(admin[1]!)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect(refusal(await one.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
    const again = await signInAgain(app, one, Date.now() + 30_000)
    expect(again.roles).toEqual(['risk'])
    expect((await admin[0]!.ask('POST', `${path}/end`, { body: { reason: 'left' } })).status).toBe(200)
    expect(refusal(await again.ask('GET', '/auth/me'))).toEqual([401, 'unauthenticated'])
    expect(refusal(await admin[0]!.ask('POST', `${path}/end`, { body: { reason: 'left' } }))).toEqual([
      409,
      'wrong_state',
    ])
    const self = `/operators/${admin[0]!.id}/end`
    expect(refusal(await admin[0]!.ask('POST', self, { body: { reason: 'bye' } }))).toEqual([409, 'own_item'])
  })

  test('takes two admins to invite, and e-mails the link to the invitee only', async () => {
    const body = { email: 'new@desk.example', roles: ['support', 'risk'] }
    const proposed = await admin[0]!.ask('POST', '/operators', { body })
    const { id } = data<{ id: string }>(proposed)
    expect(refusal(await admin[0]!.ask('POST', '/operators', { body }))).toEqual([409, 'wrong_state'])
    const approve = (who: DeskOperator) => who.ask('POST', `/operator-changes/${id}/approve`)
    expect(refusal(await approve(admin[0]!))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(finance[0]!))).toEqual([403, 'forbidden'])
    const approved = await approve(admin[1]!)
    expect(data(approved)).toMatchObject({ status: 'Approved', email: 'new@desk.example' })
    const [mail] = JSON.parse((await app.send('GET', '/mailbox.json?to=new@desk.example')).text) as {
      links: string[]
    }[]
    const token = new URL(mail!.links[0]!).searchParams.get('token')!
    expect(proposed.text + approved.text).not.toContain(token)
    expect((await app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } })).status).toBe(
      200,
    )
    expect(data(await admin[0]!.ask('GET', '/operators?status=Invited'))).toContainEqual(
      expect.objectContaining({ email: 'new@desk.example', status: 'Invited', roles: ['support', 'risk'] }),
    )
    const known = { email: finance[0]!.email.toUpperCase(), roles: ['admin'] }
    expect(refusal(await admin[0]!.ask('POST', '/operators', { body: known }))).toEqual([409, 'already_exists'])
    const twice = { email: 'x@desk.example', roles: ['risk', 'risk'] }
    expect(refusal(await admin[0]!.ask('POST', '/operators', { body: twice }))).toEqual([422, 'validation_failed'])
  })
})
