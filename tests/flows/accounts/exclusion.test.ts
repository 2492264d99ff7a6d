import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Guardrails } from '#contract/account/guardrails.ts'
import type { DeskInboxItem } from '#contract/desk/inbox.ts'
import type { DeskExclusionMatch } from '#contract/desk/people/exclusion-matches.ts'
import { sql } from '#server/platform/database/db.ts'
import { operator } from '#tests/support/people/desk.ts'
import { ORDER, startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp({ REAL_TRADES_ON_TEST_PRICES: 'on' })
})
afterAll(() => app.stop())

const call = (trader: { token: string }, method: string, path: string, body?: unknown) =>
  app.send(method, `/api${path}`, { token: trader.token, ...(body === undefined ? {} : { body }) })
const guardrails = async (trader: { token: string }) =>
  (await call(trader, 'GET', '/guardrails')).json!.data as Guardrails
const exclude = (trader: Trader) => call(trader, 'POST', '/guardrails/exclusion', { months: 6 })

async function registered(email: string, name: { firstname: string; lastname: string }): Promise<Trader> {
  const password = 'analytical engine'
  const body = { ...name, email, phone: '+44 20 7946 0000', password, confirmPassword: password }
  const { json } = await app.send('POST', '/api/auth/register', { body })
  return app.trader({ email, password, session: json!.session as string })
}

/** Confirms the address, which ends earlier sessions, and signs in again. */
async function confirmEmail(trader: Trader): Promise<Trader> {
  const hash = await app.hashFor(trader.email, /Confirm/i)
  const { status, text } = await app.send('POST', '/api/auth/verify-email', { body: { hash } })
  expect(status, text).toBe(200)
  return app.trader(trader)
}

/** Has an operator approve the trader's identity. */
async function approveIdentity(trader: Trader): Promise<void> {
  await app.db
    .insertInto('identity_checks')
    .values({ user_id: BigInt(trader.id), method: 'national_id', file: randomUUID() })
    .execute()
  const clerk = await operator(app, ['compliance'])
  const { json } = await call({ token: clerk.token }, 'GET', `/desk/identity-checks?user=${trader.id}`)
  const [{ id }] = json!.data as [{ id: string }]
  const approved = await call({ token: clerk.token }, 'POST', `/desk/identity-checks/${id}/approve`)
  expect(approved.status, approved.text).toBe(200)
}

const isExcluded = async (trader: Trader) => (await guardrails(await app.trader(trader))).block !== null

test('a self-exclusion ends all sessions and a plan request; the trader can sign in to withdraw, not to spend', async () => {
  const trader = await app.confirmedTrader()
  const other = await app.trader(trader)
  await app.fund(trader, 10_000)
  await call(trader, 'POST', '/users/set-plan', { trading_plan: 'Beginner-3000' })
  await call(trader, 'POST', '/users/request-plan-update', { trading_plan: 'Gold-7600' })
  expect((await exclude(trader)).status).toBe(200)
  for (const session of [trader, other]) expect((await call(session, 'GET', '/users/me')).status).toBe(401)

  const back = await app.trader(trader)
  expect((await guardrails(back)).block).toMatchObject({ kind: 'exclusion', can_return: false, carried_over: false })
  const { json } = await call(back, 'GET', '/users/plan-request')
  expect(json!.data).toMatchObject({ status: 'Cancelled' })
  const order = { symbol: 'BTCUSDT', trading_type: 'Cryptocurrency', trade_mode: 'Buy', amount: 10, duration: 60 }
  const refused = [
    await call(back, 'POST', '/trading/submit', { ...order, strike_rate: '75/3', mode: 'real' }),
    await call(back, 'POST', '/automatic/start', { mode: 'real', confirmed: true }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 409])
  await app.verify(back)
  const wallet = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
  const withdrawal = await call(back, 'POST', '/withdraw', { amount: 100, wallet })
  expect(withdrawal.status, withdrawal.text).toBe(200)
  const mail = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(trader.email)}`)
  expect(mail.text).toContain('Your self-exclusion has started')
})

test('it applies to another address of the same mailbox', async () => {
  const name = { firstname: 'Grace', lastname: 'Hopper' }
  const first = await confirmEmail(await registered('grace.hopper@gmail.com', name))
  expect((await exclude(first)).status).toBe(200)
  const second = await registered('GraceHopper+new@googlemail.com', { firstname: 'Other', lastname: 'Name' })
  expect((await guardrails(second)).block).toMatchObject({ kind: 'exclusion', carried_over: true })
  const third = await registered('grace.hopper2@gmail.com', name)
  expect((await guardrails(third)).block).toBeNull()
})

test('it applies to an account with the same name and date of birth, whichever was created first', async () => {
  const born = { date_of_birth: '1912-06-23' }
  const name = { firstname: 'Alan', lastname: 'Türing' }
  const earlier = await registered('alan.earlier@example.org', { firstname: 'ALAN', lastname: 'Turing' })
  await app.completeProfile(earlier, born)
  const twin = await registered('alan.twin@example.org', name)
  await app.completeProfile(twin, { date_of_birth: '1912-06-24' })
  const first = await registered('alan@example.org', name)
  await app.completeProfile(first, born)
  await approveIdentity(first)
  await exclude(first)

  // The existing account is signed out too.
  expect((await call(earlier, 'GET', '/users/me')).status).toBe(401)
  expect((await guardrails(await app.trader(earlier))).block).toMatchObject({ carried_over: true })
  expect((await guardrails(twin)).block, 'born on another day').toBeNull()

  const later = await registered('a.t@example.org', name)
  expect((await guardrails(later)).block, 'no date of birth yet').toBeNull()
  await app.completeProfile(later, born)
  expect((await guardrails(await app.trader(later))).block).toMatchObject({ carried_over: true })
  // Saving the profile again doesn't add another.
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from exclusions where user_id = ${later.id}`.execute(
    app.db,
  )
  expect(rows[0]!.n).toBe(1n)
})

test('a similar name is only a hint: support sees it, and nothing is blocked', async () => {
  const born = { date_of_birth: '1917-08-26' }
  const first = await registered('grete.hermann@example.org', { firstname: 'Grete', lastname: 'Hermann' })
  await app.completeProfile(first, born)
  await approveIdentity(first)
  const near = await registered('grete.brahe@example.org', { firstname: 'Grete', lastname: 'Brahe' })
  await app.completeProfile(near, born)
  const other = await registered('nora.brahe@example.org', { firstname: 'Nora', lastname: 'Brahe' })
  await app.completeProfile(other, born)
  await app.fund(near, 100)
  await exclude(first)

  const clerk = await operator(app, ['support'])
  const flagsOf = async ({ id }: Trader) =>
    ((await call({ token: clerk.token }, 'GET', `/desk/users/${id}`)).json!.data as { flags: string[] }).flags
  const hint = `Like self-excluded user ${first.id}: same address, or birth date and a similar name`
  expect(await flagsOf(near)).toContain(hint)
  expect(await flagsOf(other), 'the same birth date alone').not.toContain(hint)
  // Its session continues, and it trades.
  expect((await guardrails(near)).block).toBeNull()
  const trade = { body: { ...ORDER, mode: 'real', amount: 10 } }
  expect((await app.send('POST', '/api/trading/submit', { token: near.token, ...trade })).status).toBe(200)
  const { rows } = await sql`select from exclusions where user_id in (${near.id}, ${other.id})`.execute(app.db)
  expect(rows).toEqual([])
})

test('no one can exclude someone else by entering their name or address', async () => {
  const born = { date_of_birth: '1906-12-09' }
  const name = { firstname: 'Mary', lastname: 'Keller' }
  const victim = await registered('mary.keller@gmail.com', name)
  await app.completeProfile(victim, born)
  const impostor = await registered('mary.keller+1@gmail.com', name)
  await app.completeProfile(impostor, born)
  expect((await exclude(impostor)).status).toBe(200)
  expect(await isExcluded(impostor)).toBe(true)
  expect(await isExcluded(victim)).toBe(false)
  const later = await registered('m.keller@gmail.com', name)
  await app.completeProfile(later, born)
  expect(await isExcluded(later)).toBe(false)
  await approveIdentity(victim)
  expect(await isExcluded(victim)).toBe(false)
})

test('it applies to other accounts once the identity is approved; money proves nothing', async () => {
  const born = { date_of_birth: '1915-12-10' }
  const name = { firstname: 'Ada', lastname: 'King' }
  const earlier = await registered('ada.king@example.org', name)
  await app.completeProfile(earlier, born)
  await approveIdentity(earlier)
  const first = await registered('king@example.org', name)
  await app.completeProfile(first, born)
  await app.fund(first, 1)
  await exclude(first)
  const later = await registered('a.king@example.org', name)
  await app.completeProfile(later, born)
  expect([await isExcluded(earlier), await isExcluded(later)]).toEqual([false, false])
  const clerk = await operator(app, ['compliance'])
  const { json } = await call({ token: clerk.token }, 'GET', `/desk/users/${earlier.id}`)
  expect(json!.data, 'compliance sees it').toMatchObject({
    flags: expect.arrayContaining([expect.stringContaining(`Like self-excluded user ${first.id}`)]),
  })

  await approveIdentity(first)
  expect([await isExcluded(earlier), await isExcluded(later)]).toEqual([true, true])
})

test.each([
  ['Alan Turing', 'turing ALAN', 'same'],
  ['Alan Turing', 'Alan Mathison Turing', 'same'],
  ['Alan Turing', 'Аlan Turіng', 'same'],
  ['Max Hope', 'Мах Норе', 'same'],
  ['Ivan Petrov', 'Петров Иван', 'same'],
  ['Zhanna Shchukina', 'Жанна Щукина', 'same'],
  ['Niels Bøhr', 'niels bohr', 'same'],
  ['Jürgen Groß', 'Jurgen Gross', 'same'],
  ['Nikos Papas', 'Νικος Παπας', 'same'],
  ['Alan Turing', 'Alan Tur1ng', 'same'],
  ['Alan Turing', 'Alan Church', 'near'],
  ['Alan Turing', 'Alan', 'near'],
  ['Alan Turing', 'Grace Hopper', null],
  ['', '', null],
])('the names %j and %j are %s', async (one, other, expected) => {
  const { rows } = await sql<{ are: string | null }>`
    select compare_names(${one}, ${other}) as are union all select compare_names(${other}, ${one})`.execute(app.db)
  expect(rows.map(({ are }) => are)).toEqual([expected, expected])
})

test('none of 40 accounts that complete their profile meanwhile escapes', async () => {
  const born = { date_of_birth: '1903-06-14' }
  const first = await registered('alonzo@example.org', { firstname: 'Alonzo', lastname: 'Church' })
  await app.completeProfile(first, born)
  await approveIdentity(first)
  const accounts: Trader[] = []
  for (let n = 0; n < 40; n++)
    accounts.push(await registered(`alonzo-${n}@example.org`, { firstname: 'Church', lastname: `Alonzo M${n}` }))
  const half = accounts.slice(0, 20)
  const settled = await Promise.all([
    ...half.map((account) => app.completeProfile(account, born)),
    exclude(first),
    ...accounts.slice(20).map((account) => app.completeProfile(account, born)),
  ])
  expect(settled).toHaveLength(41)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from exclusions c join exclusions e on e.id = c.carried_from where e.user_id = ${first.id}`.execute(
    app.db,
  )
  expect(rows[0]!.n).toBe(40)
})

/** An excluded trader with an approved identity, and an account with the same name and birth date. */
async function namesakes(name: { firstname: string; lastname: string }, date_of_birth: string, approved = true) {
  const address = `${name.lastname}-${randomUUID().slice(0, 8)}`.toLowerCase()
  const first = await registered(`${address}@example.org`, name)
  await app.completeProfile(first, { date_of_birth })
  if (approved) await approveIdentity(first)
  const second = await registered(`${address}2@example.org`, name)
  await app.completeProfile(second, { date_of_birth })
  await exclude(first)
  return [first, second] as const
}

test('two compliance operators lift a wrong match, once and recorded; one, or SQL, does not', async () => {
  const [first, second] = await namesakes({ firstname: 'John', lastname: 'Backus' }, '1924-12-03')
  await approveIdentity(second)
  const mail = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(second.email)}`)
  expect(mail.text).toContain('Your account is on hold')
  const [clerk, other, risk] = [
    await operator(app, ['compliance']),
    await operator(app, ['compliance']),
    await operator(app, ['risk']),
  ]
  const shown = async () =>
    (await call({ token: clerk.token }, 'GET', `/desk/users/${second.id}`)).json!.data as {
      exclusions: { id: string; carried_from: string | null; lifted_at: string | null }[]
    }
  const [match] = (await shown()).exclusions
  expect(match).toMatchObject({ carried_from: first.id, lifted_at: null })
  const body = { exclusion: match!.id, reason: 'Their IDs differ.' }
  const path = `/desk/users/${second.id}/match-lifts`
  expect((await call({ token: risk.token }, 'POST', path, body)).status).toBe(403)
  const proposed = await call({ token: clerk.token }, 'POST', path, body)
  expect(proposed.json!.data, proposed.text).toMatchObject({ kind: 'lift-match', status: 'Pending' })
  const { id } = proposed.json!.data as { id: string }
  const approve = (who: { token: string }) => call(who, 'POST', `/desk/account-changes/${id}/approve`)
  expect((await approve(clerk)).json!.code).toBe('second_person_required')
  expect((await approve(risk)).json!.code).toBe('forbidden')
  await expect(
    sql`update exclusions set lifted_at = now(), lifted_by = ${id} where id = ${match!.id}`.execute(app.db),
  ).rejects.toThrow(/approved by two people/)
  expect(await isExcluded(second)).toBe(true)
  const approved = await Promise.all(Array.from({ length: 5 }, () => approve(other)))
  expect(approved.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  expect(await isExcluded(second)).toBe(false)
  expect((await shown()).exclusions).toMatchObject([{ lifted_at: expect.any(String) }])
  const audit = await call({ token: clerk.token }, 'GET', `/desk/audit?item_kind=account-changes&item_id=${id}`)
  expect((audit.json!.data as { action: string }[]).map(({ action }) => action)).toEqual(['approve', 'propose'])

  // A longer exclusion of the same person doesn't return it, nor does the trader's own profile.
  await call(await app.trader(first), 'POST', '/guardrails/exclusion', { months: null })
  expect(await isExcluded(second)).toBe(false)
  expect((await app.broken()).filter((name) => name.startsWith('G'))).toEqual([])
  const own = await call({ token: clerk.token }, 'POST', `/desk/users/${first.id}/match-lifts`, {
    ...body,
    exclusion: String(Number(match!.id) - 1),
  })
  expect(own.json!.code, "nobody lifts a trader's own exclusion").toBe('wrong_state')
})

test('accounts on hold wait in a queue until compliance keeps them there, or two lift the hold', async () => {
  const [first, second] = await namesakes({ firstname: 'Ida', lastname: 'Rhodes' }, '1900-05-15')
  const [clerk, other, risk] = [
    await operator(app, ['compliance']),
    await operator(app, ['compliance']),
    await operator(app, ['risk']),
  ]
  const matches = async (query = '') => {
    const { json } = await clerk.ask('GET', `/exclusion-matches?user=${second.id}${query}`)
    return json!.data as DeskExclusionMatch[]
  }
  const waiting = async (who = clerk) => {
    const { json } = await who.ask('GET', '/inbox?queue=exclusion-matches')
    return (json!.data as DeskInboxItem[]).filter((item) => item.user_id === second.id)
  }
  const [match] = await matches('&status=to_do')
  const id = match!.id
  expect(match).toMatchObject({
    ...{ status: 'Open', email: second.email, identity: null, balance: 0, pending_deposits: 0, lift: null, kept: null },
    excluded: { user_id: first.id, email: first.email, name: 'Ida Rhodes', until: expect.any(String) },
    why: [expect.stringContaining('Same birth date')],
  })
  expect(await waiting()).toMatchObject([{ id, overdue: false, due_at: expect.any(String) }])
  expect(await waiting(risk)).toEqual([])
  expect((await risk.ask('POST', `/exclusion-matches/${id}/keep`, { body: { reason: 'r' } })).status).toBe(403)

  const body = { exclusion: id, reason: 'Their IDs differ.' }
  const proposed = await clerk.ask('POST', `/users/${second.id}/match-lifts`, { body })
  const lift = (proposed.json!.data as { id: string }).id
  expect(await matches('&status=Proposed')).toMatchObject([{ lift: { id: lift, email: clerk.email } }])
  expect(await waiting(), 'the proposal waits in its own queue').toEqual([])
  await other.ask('POST', `/account-changes/${lift}/reject`, { body: { reason: 'They are the same.' } })
  expect(await matches()).toMatchObject([{ status: 'Open', lift: null }])

  const keep = () => other.ask('POST', `/exclusion-matches/${id}/keep`, { body: { reason: 'The same passport.' } })
  const kept = await Promise.all([keep(), keep(), keep()])
  expect(kept.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await matches()).toMatchObject([
    { status: 'Kept', kept: { email: other.email, reason: 'The same passport.' } },
  ])
  expect(await waiting()).toEqual([])
  expect(await isExcluded(second)).toBe(true)
  const mail = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(second.email)}`)
  expect(mail.text).toContain('Your account stays on hold')

  // A mistake that is found later takes two to lift.
  const again = await clerk.ask('POST', `/users/${second.id}/match-lifts`, { body })
  expect(await matches('&status=to_do')).toMatchObject([{ status: 'Proposed' }])
  await other.ask('POST', `/account-changes/${(again.json!.data as { id: string }).id}/approve`)
  expect(await matches()).toMatchObject([{ status: 'Lifted' }])
  expect(await isExcluded(second)).toBe(false)
  expect((await app.broken()).filter((name) => name === 'G5')).toEqual([])
  const client = await connectTo(app.superUrl)
  await client.query(
    `set session_replication_role = replica; update kept_matches set operator_id = ${risk.id} where exclusion_id = ${id}`,
  )
  expect(await app.broken(), 'nobody else decided it').toContain('G5')
  await client.query(`update kept_matches set operator_id = ${other.id} where exclusion_id = ${id}`)
  await client.end()
})

test('what slipped is found by verification, and carried over in the next sweep', async () => {
  const [first, second] = await namesakes({ firstname: 'Grete', lastname: 'Hermann' }, '1901-03-02', false)
  expect(await isExcluded(second)).toBe(false)
  await approveIdentity(first)
  const client = await connectTo(app.superUrl)
  await client.query(
    `set session_replication_role = replica; delete from exclusions where user_id = ${second.id};
     update guards set blocked_until = null where account_id = ${BigInt(second.id) * 2n};
     delete from exclusion_sweeps`,
  )
  await client.end()
  expect(await app.broken()).toContain('G4')
  // A node sweeps when it starts on a night that has no sweep yet.
  const node = await app.otherNode({})
  await vi.waitUntil(() => isExcluded(second), { timeout: 60_000 })
  await node.stop()
  expect(await app.broken()).not.toContain('G4')
})

test('an operator records a break requested by the trader, and every invariant holds', async () => {
  const trader = await app.confirmedTrader()
  await app.fund(trader, 100)
  await call(trader, 'PUT', '/guardrails/limits', { guarded: 'stakes', period: 'day', max: 50 })
  const clerk = await operator(app, ['support'])
  const body = { kind: 'exclusion', months: 6, reason: 'Asked by phone.' }
  const path = `/desk/users/${trader.id}/exclusion`
  expect((await call({ token: clerk.token }, 'POST', path, body)).status).toBe(200)
  expect((await call(trader, 'GET', '/users/me')).status).toBe(401)
  const { json } = await call({ token: clerk.token }, 'GET', `/desk/users/${trader.id}`)
  expect(json!.data).toMatchObject({
    guardrails: { block: { kind: 'exclusion' } },
    exclusions: [{ kind: 'exclusion', reason: 'Asked by phone.', return_at: null, carried_from: null }],
  })
  expect((await app.broken()).filter((name) => name.startsWith('G'))).toEqual([])
  // Verification finds an excluded account that isn't blocked.
  const client = await connectTo(app.superUrl)
  await client.query(
    `set session_replication_role = replica; update guards set blocked_until = null where account_id = ${BigInt(trader.id) * 2n}`,
  )
  await client.end()
  expect(await app.broken()).toContain('G2')
})
