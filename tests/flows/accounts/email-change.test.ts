import { afterAll, describe, expect, test } from 'vitest'
import { accountChecks } from '#server/invariants/checks/accounts.ts'
import { guardrailsChecks } from '#server/invariants/checks/guardrails.ts'
import { sql } from '#server/platform/database/db.ts'
import { refused, startCashier } from '#tests/support/people/cashier.ts'
import { ageEmailChanges, emailChangeOf } from '#tests/support/people/email-change.ts'
import type { Reply, Trader } from '#tests/support/servers/app.ts'
import { totpCode } from '#tests/support/totp-code.ts'

const { app, ops, trader, withdraw, cancel, pendingWithdrawal, approveOut, pay, asSuper, stop } = await startCashier()
afterAll(stop)
const changing = emailChangeOf(app)
const { newAddress, request, open, oldHash, newHash, confirm, disown } = changing

const code = ({ status, json }: Reply) => [status, json?.code]
const DONE = [200, undefined]
const me = async ({ token }: Trader) =>
  (await app.send('GET', '/api/users/me', { token })).json?.data as { email: string } | undefined
const signIn = ({ email, password }: { email: string; password: string }) =>
  app.send('POST', '/api/auth/login', { body: { email, password } })
const mailsTo = async (email: string) =>
  JSON.parse((await app.send('GET', `/mailbox.json?to=${encodeURIComponent(email)}`)).text) as {
    subject: string
    text: string
  }[]
const subjects = async (email: string) => (await mailsTo(email)).map(({ subject }) => subject)
const requirements = async ({ token }: Trader) =>
  (await app.send('GET', '/api/withdraw/requirements', { token })).json!.data as { possible: boolean; pause: unknown }
/** Asks for a reset link to an address, and returns its hash. */
async function resetHash(email: string): Promise<string> {
  await app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(email)}`)
  return app.hashFor(email, /Reset/)
}
const reset = (hash: string) =>
  app.send('POST', '/api/auth/reset-password', {
    body: { hash, password: 'difference engine', confirmPassword: 'difference engine' },
  })

describe('a change of the e-mail address', () => {
  test.each(['old', 'new'])('takes both addresses, whichever confirms first (%s)', async (first) => {
    const one = await trader()
    const email = newAddress()
    expect(code(await request(one, email))).toEqual(DONE)
    expect(await open(one)).toMatchObject({ email, old_confirmed: false, new_confirmed: false })
    const hashes = [await oldHash(one), await newHash(email)]
    const [earlier, later] = first === 'old' ? hashes : hashes.reverse()
    expect((await confirm(earlier!)).json!.data).toEqual({ done: false })
    expect(await me(one)).toMatchObject({ email: one.email })
    expect(code(await confirm(earlier!)), 'a link twice').toEqual([422, 'invalid_hash'])
    expect(await open(one)).toMatchObject({ old_confirmed: first === 'old', new_confirmed: first === 'new' })
    expect((await confirm(later!)).json!.data).toEqual({ done: true })
    expect(await me(one)).toMatchObject({ email, email_verified: true })
    expect(code(await signIn(one))).toEqual([422, 'invalid_credentials'])
    expect(code(await signIn({ ...one, email }))).toEqual(DONE)
    expect(await open(one)).toBeNull()
    for (const address of [one.email, email])
      expect(await subjects(address)).toContain('The e-mail address of your account was changed')
  })

  test('needs the password, a confirmed address, a free one, and the second factor where it is on', async () => {
    const one = await app.confirmedTrader()
    expect(code(await request(one, newAddress(), { password: 'a guess' }))).toEqual([422, 'invalid_credentials'])
    expect(code(await request(one, one.email.toUpperCase()))).toEqual([422, 'validation_failed'])
    expect(code(await request(one, (await app.confirmedTrader()).email))).toEqual([409, 'already_exists'])
    expect(code(await request(await app.trader(), newAddress()))).toEqual([422, 'email_not_confirmed'])
    const guest = (await app.send('POST', '/api/auth/guest')).json!.tokens as { access: { token: string } }
    const { token } = guest.access
    expect(code(await request({ ...one, token }, newAddress()))).toEqual([403, 'account_required'])

    const begun = await app.send('POST', '/api/auth/2fa/totp', { token: one.token, body: { password: one.password } })
    const { secret } = begun.json!.data as { secret: string }
    await app.send('POST', '/api/auth/2fa/totp/confirm', { token: one.token, body: { code: totpCode(secret) } })
    const email = newAddress()
    expect(code(await request(one, email))).toEqual([428, 'step_up_required'])
    expect(await open(one)).toBeNull()
    expect(await subjects(email)).toEqual([])
    const stepped = await app.send('POST', '/api/auth/step-up', {
      token: one.token,
      body: { code: totpCode(secret, Date.now() + 30_000) },
    })
    const sent = await app.send('POST', '/api/auth/email-change', {
      token: one.token,
      body: { email, password: one.password },
      headers: { 'x-step-up': (stepped.json!.data as { token: string }).token },
    })
    expect(code(sent)).toEqual(DONE)
  })

  test('ends the other sessions and every link that was mailed to the old address', async () => {
    const one = await trader()
    const other = await app.trader(one)
    const stale = await resetHash(one.email)
    const moved = await changing.change(one, newAddress())
    expect(await me(one)).toMatchObject({ email: moved.email })
    expect(code(await app.send('GET', '/api/users/me', { token: other.token }))).toEqual([401, 'unauthenticated'])
    expect(code(await reset(stale))).toEqual([422, 'invalid_hash'])
    expect(code(await reset(await resetHash(moved.email)))).toEqual(DONE)
    // The old address is free, and what its new owner does reaches only their account.
    const next = await app.trader(await app.register(one.email))
    expect(next.id).not.toBe(one.id)
  })

  test('pauses withdrawals for 24 hours, in the database too, and says until when', async () => {
    const one = await trader(100)
    const before = await pendingWithdrawal(one, 20)
    const approved = await pendingWithdrawal(one, 20)
    await approveOut(approved, ops[0]!)
    const moved = await changing.change(one, newAddress())
    const { possible, pause } = await requirements(moved)
    expect([possible, pause]).toEqual([false, { cause: 'email_changed', until: expect.any(String) }])
    const hours = (Date.parse((pause as { until: string }).until) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
    const asked = await withdraw(moved, 10)
    expect(code(asked)).toEqual([422, 'withdrawals_paused'])
    expect(asked.json!.message).toMatch(/paused until \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    await expect(approveOut(before, ops[0]!)).rejects.toEqual(refused('withdrawals_paused'))
    await expect(pay(approved, ops[0]!)).rejects.toEqual(refused('withdrawals_paused'))
    await expect(
      sql`update withdrawals set status = 'Paid', reference = 'x', ended_at = now(), payout_id = id where id = ${approved}`.execute(
        app.db,
      ),
    ).rejects.toThrow(/are paused/)
    await expect(
      sql`insert into withdrawals (id, user_id, method, coin, wallet, amount) values (1, ${one.id}, 'crypto', 'ETH', 'w', 100)`.execute(
        app.db,
      ),
    ).rejects.toThrow(/are paused/)
    await ageEmailChanges(app.superUrl, one.id, '23 hours 59 minutes')
    expect(code(await withdraw(moved, 10))).toEqual([422, 'withdrawals_paused'])
    await ageEmailChanges(app.superUrl, one.id, '1 minute')
    expect(await requirements(moved)).toMatchObject({ possible: true, pause: null })
    expect(code(await withdraw(moved, 10))).toEqual(DONE)
    await pay(approved, ops[0]!)
  })

  test('a paused withdrawal can be cancelled: the money stays with the trader', async () => {
    const one = await trader(50)
    const reply = await withdraw(one, 50)
    const moved = await changing.change(one, newAddress())
    expect(code(await cancel(moved, (reply.json!.data as { withdraw_id: string }).withdraw_id))).toEqual(DONE)
  })

  test('expires after 24 hours, also when one address has confirmed', async () => {
    const one = await app.confirmedTrader()
    const email = newAddress()
    await request(one, email)
    expect(code(await confirm(await newHash(email)))).toEqual(DONE)
    await ageEmailChanges(app.superUrl, one.id, '24 hours')
    expect(code(await confirm(await oldHash(one)))).toEqual([422, 'invalid_hash'])
    expect(await open(one)).toBeNull()
    // It can be asked for again, and needs both confirmations again.
    await request(one, email)
    expect(await open(one)).toMatchObject({ old_confirmed: false, new_confirmed: false })
  })

  test('the same address again is one change; another address replaces it, with its links', async () => {
    const one = await app.confirmedTrader()
    const [first, second] = [newAddress(), newAddress()]
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => request(one, first)))
    expect(replies.map(code)).toEqual(Array(5).fill(DONE))
    const count = () =>
      sql<{ n: number }>`select count(*)::int as n from email_changes where user_id = ${one.id}`.execute(app.db)
    expect((await count()).rows).toEqual([{ n: 1 }])
    const stale = await newHash(first)
    expect(code(await request(one, second))).toEqual(DONE)
    expect(code(await confirm(stale))).toEqual([422, 'invalid_hash'])
    expect(await open(one)).toMatchObject({ email: second, new_confirmed: false })
    expect((await app.send('DELETE', '/api/auth/email-change', { token: one.token })).status).toBe(200)
    expect(code(await app.send('DELETE', '/api/auth/email-change', { token: one.token }))).toEqual([409, 'wrong_state'])
    expect(code(await confirm(await newHash(second)))).toEqual([422, 'invalid_hash'])
  })

  test('parallel presses change it once', async () => {
    const one = await app.confirmedTrader()
    const email = newAddress()
    await request(one, email)
    const hashes = [await oldHash(one), await newHash(email)]
    const replies = await Promise.all([...hashes, ...hashes, ...hashes, ...hashes].map(confirm))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422, 422, 422, 422, 422])
    expect(replies.filter(({ json }) => (json?.data as { done: boolean } | undefined)?.done)).toHaveLength(1)
    expect((await subjects(email)).filter((subject) => /was changed/.test(subject))).toHaveLength(1)
  })

  test('two accounts that want the same address: the first to confirm gets it', async () => {
    const [one, two] = [await app.confirmedTrader(), await app.confirmedTrader()]
    const email = newAddress()
    await request(one, email)
    await request(two, email)
    const newOnes = (await mailsTo(email)).map(
      (mail) => new URL(/https?:\S+change-email\S+/.exec(mail.text)![0]).searchParams.get('hash')!,
    )
    for (const hash of [...newOnes, await oldHash(one)]) expect(code(await confirm(hash))).toEqual(DONE)
    expect(code(await confirm(await oldHash(two)))).toEqual([409, 'already_exists'])
    expect([(await me(one))!.email, (await me(two))!.email]).toEqual([email, two.email])
  })

  test('an address that someone registered meanwhile is taken once they have confirmed it', async () => {
    const [one, two] = [await app.confirmedTrader(), await app.confirmedTrader()]
    const [claimed, typed] = [newAddress(), newAddress()]
    await request(one, claimed)
    await request(two, typed)
    const other = await app.trader(await app.register(claimed))
    await app.send('POST', '/api/auth/verify-email', {
      body: { hash: await app.hashFor(claimed, /Confirm your e-mail/) },
    })
    expect(code(await confirm(await newHash(claimed)))).toEqual(DONE)
    expect(code(await confirm(await oldHash(one)))).toEqual([409, 'already_exists'])
    expect((await signIn(other)).status).toBe(200)
    // An account that nobody confirmed gives way to the owner of the mailbox, and its link can't bring it back.
    const squatter = await app.trader(await app.register(typed))
    const link = await app.hashFor(typed, /Confirm your e-mail address/)
    for (const hash of [await newHash(typed), await oldHash(two)]) expect(code(await confirm(hash))).toEqual(DONE)
    expect((await me(two))!.email).toBe(typed)
    expect(code(await app.send('GET', '/api/users/me', { token: squatter.token }))).toEqual([401, 'unauthenticated'])
    expect(code(await app.send('POST', '/api/auth/verify-email', { body: { hash: link } }))).toEqual([
      422,
      'invalid_hash',
    ])
  })
})

describe("'This wasn't me'", () => {
  test('at the old address cancels, ends all sessions and freezes withdrawals until a new password', async () => {
    const one = await trader(50)
    const id = await pendingWithdrawal(one, 10)
    const email = newAddress()
    await request(one, email)
    await confirm(await newHash(email))
    const hash = await oldHash(one)
    expect(code(await disown(hash))).toEqual(DONE)
    expect([code(await disown(hash)), code(await confirm(hash))]).toEqual(Array(2).fill([422, 'invalid_hash']))
    expect(code(await app.send('GET', '/api/users/me', { token: one.token }))).toEqual([401, 'unauthenticated'])
    // Who knows the old password gets in, and takes out nothing.
    const thief = await app.trader(one)
    expect((await requirements(thief)).pause).toEqual({ cause: 'disowned', until: null })
    expect(code(await withdraw(thief, 10))).toEqual([422, 'withdrawals_paused'])
    await expect(approveOut(id, ops[0]!)).rejects.toEqual(refused('withdrawals_paused'))
    const body = { current: one.password, password: 'their engine', confirmPassword: 'their engine' }
    expect((await app.send('PATCH', '/api/users/change-password', { token: thief.token, body })).status).toBe(200)
    const inside = await app.trader({ ...one, password: 'their engine' })
    expect(code(await withdraw(inside, 10)), 'a password changed from inside is not a fresh one').toEqual([
      422,
      'withdrawals_paused',
    ])
    expect(code(await reset(await resetHash(one.email)))).toEqual(DONE)
    const back = await app.trader({ ...one, password: 'difference engine' })
    expect(await requirements(back)).toMatchObject({ possible: true, pause: null })
    await approveOut(id, ops[0]!)
  })

  test('at the new address only cancels', async () => {
    const one = await trader()
    const email = newAddress()
    await request(one, email)
    expect(code(await disown(await newHash(email)))).toEqual(DONE)
    expect(await me(one)).toMatchObject({ email: one.email })
    expect(await requirements(one)).toMatchObject({ pause: null })
    expect(code(await confirm(await oldHash(one)))).toEqual([422, 'invalid_hash'])
  })

  test('a freeze is lifted by nothing else, not even by the application', async () => {
    const one = await app.confirmedTrader()
    await request(one, newAddress())
    await disown(await oldHash(one))
    for (const how of [
      sql`delete from withdrawal_pauses where user_id = ${one.id}`,
      sql`update withdrawal_pauses set ended_at = now() where user_id = ${one.id}`,
      sql`update withdrawal_pauses set until = now() where user_id = ${one.id}`,
    ])
      await expect(how.execute(app.db)).rejects.toThrow()
    await expect(sql`update users set email = 'x@example.org' where id = ${one.id}`.execute(app.db)).rejects.toThrow(
      /nobody confirmed/,
    )
  })
})

describe('a self-exclusion', () => {
  const exclude = ({ token }: Trader) => app.send('POST', '/api/guardrails/exclusion', { token, body: { months: 6 } })
  const block = async (one: Trader) =>
    ((await app.send('GET', '/api/guardrails', { token: one.token })).json!.data as { block: unknown }).block

  test('binds the address of before a change', async () => {
    const one = await trader()
    const moved = await changing.change(one, newAddress())
    expect((await exclude(moved)).status).toBe(200)
    const again = await app.trader(await app.register(one.email.replace('@', '+again@')))
    expect(await block(again)).toMatchObject({ kind: 'exclusion', carried_over: true })
  })

  test('binds the address of after a change, whichever account was there first', async () => {
    const one = await trader()
    expect((await exclude(one)).status).toBe(200)
    const email = newAddress()
    const there = await app.trader(await app.register(email.replace('@', '+there@')))
    const back = await app.trader(one)
    await changing.change(back, email)
    expect(await block(await app.trader(there))).toMatchObject({ carried_over: true })
    const later = await app.trader(await app.register(email.replace('@', '+later@')))
    expect(await block(later)).toMatchObject({ carried_over: true })
    const atOld = await app.trader(await app.register(one.email))
    expect(await block(atOld)).toMatchObject({ carried_over: true })
  })

  test('reaches an account that moves to the address of an excluded trader', async () => {
    const one = await trader()
    const two = await trader()
    const email = newAddress()
    const excluded = await changing.change(one, email)
    expect((await exclude(excluded)).status).toBe(200)
    const moved = await changing.change(two, email.replace('@', '+two@'))
    expect(await block(await app.trader(moved))).toMatchObject({ carried_over: true })
  })
})

describe('verify', () => {
  /** Changes rows as only the owner of the database can, reads what is broken, and takes it back. */
  async function brokenBy(userId: string, statement: string): Promise<string[]> {
    const found = await asSuper(async (client) => {
      await client.query(statement, [userId])
      const broken: string[] = []
      for (const check of [...accountChecks, ...guardrailsChecks])
        if ((await client.query(check.sql)).rowCount) broken.push(check.name)
      return broken
    }, 'replica')
    return found
  }

  test('finds an address that nobody confirmed, a missing pause, and a withdrawal in a pause', async () => {
    const one = await trader(50)
    const email = newAddress()
    await pendingWithdrawal(one, 10)
    await changing.change(one, email)
    expect(await brokenBy(one.id, `select $1::bigint`)).toEqual([])
    expect(await brokenBy(one.id, `update users set email = 'thief@example.org' where id = $1`)).toEqual(['E1'])
    expect(await brokenBy(one.id, `delete from withdrawal_pauses where user_id = $1`)).toEqual(['E1'])
    expect(await brokenBy(one.id, `update withdrawals set created_at = now() where user_id = $1`)).toEqual(['E2'])
  })

  test('finds an account at a former address of an excluded trader', async () => {
    const one = await trader()
    const moved = await changing.change(one, newAddress())
    await app.send('POST', '/api/guardrails/exclusion', { token: moved.token, body: { months: 6 } })
    const again = await app.trader(await app.register(one.email.replace('@', '+again@')))
    await ageEmailChanges(app.superUrl, one.id, '27 hours')
    expect(await brokenBy(again.id, `delete from exclusions where user_id = $1`)).toContain('G4')
  })
})
