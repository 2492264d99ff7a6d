import { afterAll, describe, expect, test } from 'vitest'
import type { Closure } from '#contract/account/closure.ts'
import { accountChecks } from '#server/invariants/checks/accounts.ts'
import { sql } from '#server/platform/database/db.ts'
import { automationOf } from '#tests/support/automatic-settings.ts'
import { BROWSER } from '#tests/support/contract-cases/money.ts'
import { startCashier } from '#tests/support/people/cashier.ts'
import { emailChangeOf } from '#tests/support/people/email-change.ts'
import { photo } from '#tests/support/pictures.ts'
import type { Reply, Trader } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const { app, trader, withdraw, cancel, submitDeposit, asSuper, stop } = await startCashier()
afterAll(stop)

const code = ({ status, json }: Reply) => [status, json?.code]
const DONE = [200, undefined]
const close = (one: Trader, password = one.password) =>
  app.send('POST', '/api/auth/closure', { token: one.token, body: { password } })
const closure = async ({ token }: Trader) =>
  (await app.send('GET', '/api/auth/closure', { token })).json!.data as Closure
const keep = ({ token }: Trader) => app.send('DELETE', '/api/auth/closure', { token })
const signIn = ({ email, password }: Trader) => app.send('POST', '/api/auth/login', { body: { email, password } })
const userRow = ({ id }: Trader) =>
  app.db.selectFrom('users').selectAll().where('id', '=', BigInt(id)).executeTakeFirstOrThrow()

/** Makes a closure older, as the owner of the database: the application can't. */
async function age({ id }: Trader, interval: string): Promise<void> {
  const client = await connectTo(app.superUrl)
  try {
    await client.query(`set session_replication_role = 'replica'`)
    await client.query(
      `update account_closures set requested_at = requested_at - $2::interval, due_at = due_at - $2::interval where user_id = $1`,
      [id, interval],
    )
  } finally {
    await client.end()
  }
}

/** Starts another node, whose first round closes what is due, and waits until `holds`. */
async function untilClosed(holds: () => Promise<boolean>): Promise<void> {
  const node = await app.otherNode({ ROLES: 'web' })
  try {
    await expect.poll(holds).toBe(true)
  } finally {
    await node.stop()
  }
}
const isEnded = (one: Trader) => async () => (await userRow(one)).ended_at !== null

const ORDER = { symbol: 'BTCUSDT', trade_mode: 'Buy', amount: 10, strike_rate: '75/3', duration: 60, mode: 'demo' }

/** The requests that set up what acts by itself, in demo. */
const SET_UP = {
  '/alerts': { kind: 'price', symbol: 'BTCUSDT', direction: 'up', level: '9000000' },
  '/waiting-orders': { ...ORDER, condition: 'at_or_above', level: '9000000' },
  '/notices/push': BROWSER,
  '/automatic/start': { mode: 'demo' },
}
const saveAutomatic = ({ token }: Trader) => app.send('PUT', '/api/automatic', { token, body: automationOf({}) })
const setUpAll = ({ token }: Trader) =>
  Object.entries(SET_UP).map(([path, body]) => app.send('POST', `/api${path}`, { token, body }))

/** Sets up what acts by itself, in demo. */
async function setUp(one: Trader): Promise<void> {
  expect(code(await saveAutomatic(one))).toEqual(DONE)
  for (const reply of await Promise.all(setUpAll(one))) expect(code(reply)).toEqual(DONE)
  expect(await leftOf(one)).toEqual(['alert', 'automatic trades', 'order', 'push messages', 'strategy'])
}

/** What of an account acts by itself, as `verify` would find it if the account were closed. */
async function leftOf({ id }: Pick<Trader, 'id'>): Promise<string[]> {
  const check = accountChecks.find(({ name }) => name === 'E6')!.sql.replace(/where u.ended_at is not null and .*$/, '')
  const { rows } = await sql.raw<{ id: bigint; what: string }>(check).execute(app.db)
  return rows
    .filter((row) => String(row.id) === id)
    .map(({ what }) => what)
    .toSorted()
}

describe('closing an account', () => {
  test('takes 14 days, then nobody signs in, and what no law asks for is erased', async () => {
    const one = await trader()
    const other = await app.trader(one)
    const form = new FormData()
    form.set('avatar', new Blob([new Uint8Array(await photo())], { type: 'image/jpeg' }), 'a.jpg')
    const updated = await app.send('POST', '/api/users/update', { token: one.token, body: form })
    expect(updated.status, updated.text).toBe(200)
    expect((await userRow(one)).avatar).not.toBeNull()
    await app.send('PATCH', '/api/users/screen', { token: one.token, body: { mode: 'demo' } })
    const strategy = { name: 'Outside', duration: 60, symbols: ['BTCUSDT'] }
    const made = await app.send('POST', '/api/strategies/webhook', { token: one.token, body: strategy })
    const published = `/api/strategies/${(made.json!.data as { id: string }).id}/publish`
    expect(code(await app.send('POST', published, { token: one.token, body: { name: 'Left' } }))).toEqual(DONE)
    await setUp(one)
    const asked = (await close(one)).json!.data as Closure
    expect(await leftOf(one), 'a new demo trade would keep it open').not.toContain('automatic trades')
    const days = (Date.parse(asked.due_at!) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(13.99)
    expect(days).toBeLessThanOrEqual(14)
    expect(code(await app.send('GET', '/api/users/me', { token: other.token }))).toEqual([401, 'unauthenticated'])
    expect(code(await signIn(one)), 'in the 14 days').toEqual(DONE)
    expect(((await close(one)).json!.data as Closure).due_at, 'asked twice').toBe(asked.due_at)
    await app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(one.email)}`)
    const reset = await app.hashFor(one.email, /Reset/)

    await age(one, '14 days')
    await untilClosed(isEnded(one))
    expect(code(await app.send('GET', '/api/users/me', { token: one.token }))).toEqual([401, 'unauthenticated'])
    expect(code(await signIn(one))).toEqual([422, 'invalid_credentials'])
    const body = { hash: reset, password: 'difference engine', confirmPassword: 'difference engine' }
    expect(code(await app.send('POST', '/api/auth/reset-password', { body }))).toEqual([422, 'invalid_hash'])
    expect(await userRow(one)).toMatchObject({
      ...{ password_hash: '', phone: '', gender: '', avatar: null },
      ...{ email: one.email, firstname: 'Eve', lastname: 'Byron' },
    })
    const { rows } = await sql`select from screen_choices where user_id = ${one.id}`.execute(app.db)
    expect(rows).toEqual([])
    const signalling = sql`
      select from own_strategies s left join recorded_strategies r on r.strategy_id = s.id
      left join published_strategies p on p.strategy_id = s.id
      where s.user_id = ${one.id} and (s.archived_at is null or r.strategy_id is not null or p.withdrawn_at is null)`
    expect((await signalling.execute(app.db)).rows, 'strategies that still signal').toEqual([])
    expect(await leftOf(one), 'what still acts').toEqual([])
    const late = await app.hashFor(one.email, /will be closed/)
    expect(code(await app.send('POST', '/api/auth/closure/keep', { body: { hash: late } }))).toEqual([
      422,
      'invalid_hash',
    ])
    await expect(
      sql`update users set ended_at = null where id = ${one.id}`.execute(app.db),
      'it never comes back',
    ).rejects.toThrow(/did not close/)
    // The address is free.
    const again = await app.trader(await app.register(one.email))
    expect(again.id).not.toBe(one.id)
    const confirmed = { hash: await app.hashFor(one.email, /Confirm your e-mail/) }
    expect(code(await app.send('POST', '/api/auth/verify-email', { body: confirmed }))).toEqual(DONE)
    const check = sql`select from identity_checks where user_id = ${one.id} and status = 'Approved' and file is not null`
    expect((await check.execute(app.db)).rows, 'documents that the law asks to keep').toHaveLength(1)
  })

  test('leaves nothing of the requests that are under way meanwhile', async () => {
    const one = await trader()
    await app.send('PATCH', '/api/users/screen', { token: one.token, body: { mode: 'demo' } })
    expect(code(await saveAutomatic(one))).toEqual(DONE)
    expect(code(await close(one))).toEqual(DONE)
    await age(one, '14 days')
    const client = await connectTo(app.superUrl)
    const waiting = async (text: string) => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${text}%`}`.execute(app.db)
      return rows.length
    }
    await client.query('begin')
    await client.query('select from screen_choices where user_id = $1 for update', [one.id])
    const node = app.otherNode({ ROLES: 'web' })
    try {
      // It has ended what the account had set up, and hasn't committed.
      await expect.poll(() => waiting('delete from "screen_choices"')).toBe(1)
      let replied = 0
      const requests = setUpAll(one).map(async (request) => {
        const reply = await request
        replied += 1
        return code(reply)
      })
      await expect.poll(async () => (await waiting('')) - 1 + replied).toBe(requests.length)
      await client.query('commit')
      for (const reply of await Promise.all(requests)) expect(reply).toEqual([401, 'unauthenticated'])
      await expect.poll(isEnded(one)).toBe(true)
      expect(await leftOf(one)).toEqual([])
    } finally {
      await client.end()
      await (await node).stop()
    }
  })

  test('accepts no order later, not even one whose request passed before', async () => {
    const one = await trader()
    expect(code(await close(one))).toEqual(DONE)
    await age(one, '14 days')
    await untilClosed(isEnded(one))
    const locked = sql<{ trading_locked: boolean }>`select trading_locked from accounts where user_id = ${one.id}`
    const both = [{ trading_locked: true }, { trading_locked: true }]
    expect((await locked.execute(app.db)).rows).toEqual(both)
    // An operator's lock that is lifted leaves that of the closed account.
    await sql`update accounts set trading_locked = false where user_id = ${one.id}`.execute(app.db)
    expect((await locked.execute(app.db)).rows).toEqual(both)
  })

  test('waits for an order that is being accepted, and stays open until its trade has ended', async () => {
    const one = await trader()
    expect(code(await close(one))).toEqual(DONE)
    const client = await connectTo(app.superUrl)
    await client.query(`set session_replication_role = 'replica'`)
    const stake = (amount: number) =>
      client.query(
        `update accounts set balance = balance - $2, escrow = escrow + $2 where user_id = $1 and mode = 'demo'`,
        [one.id, amount],
      )
    await client.query('begin')
    // What the accepting statement does, before its commit.
    await stake(100)
    await age(one, '14 days')
    const node = app.otherNode({ ROLES: 'web' })
    try {
      const waits = sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update%'`
      await expect.poll(async () => (await waits.execute(app.db)).rows.length).toBe(1)
      await client.query('commit')
      await expect.poll(async () => (await closure(one)).due_at).toBeNull()
      expect(await isEnded(one)()).toBe(false)
      await stake(-100)
    } finally {
      await client.end()
      await (await node).stop()
    }
  })

  test('needs the password, and an account that owes and holds nothing', async () => {
    const one = await trader(50)
    expect(code(await close(one, 'a guess'))).toEqual([422, 'invalid_credentials'])
    expect((await closure(one)).first).toEqual(['Withdraw your balance of $50.00 first.'])
    expect(code(await close(one))).toEqual([409, 'wrong_state'])
    const id = ((await withdraw(one, 50)).json!.data as { withdraw_id: string }).withdraw_id
    expect((await closure(one)).first).toEqual(['A deposit or withdrawal is under way. Wait until it is done.'])
    expect(code(await cancel(one, id))).toEqual(DONE)
    const two = await trader()
    await submitDeposit(two, '10')
    expect(code(await close(two))).toEqual([409, 'wrong_state'])
    await expect(
      sql`update users set ended_at = now() where id = ${one.id}`.execute(app.db),
      'not even the application',
    ).rejects.toThrow(/did not close/)
    await expect(
      sql`insert into account_closures (user_id, due_at) values (${one.id}, now())`.execute(app.db),
    ).rejects.toThrow(/permission denied/)
  })

  test('is stopped by the link, once, or from a session', async () => {
    const one = await trader()
    await close(one)
    const hash = await app.hashFor(one.email, /will be closed/)
    const press = () => app.send('POST', '/api/auth/closure/keep', { body: { hash } })
    const presses = await Promise.all([press(), press(), press()])
    expect(presses.map(({ status }) => status).sort()).toEqual([200, 422, 422])
    expect(await closure(one)).toMatchObject({ due_at: null })
    expect(code(await keep(one))).toEqual([409, 'wrong_state'])
    await close(one)
    expect(code(await keep(one))).toEqual(DONE)
    await age(one, '20 days')
    expect((await userRow(one)).ended_at).toBeNull()
  })

  test('stops when money has come in meanwhile', async () => {
    const one = await trader()
    await close(one)
    await app.fund(one, 5)
    await age(one, '14 days')
    await untilClosed(async () => (await closure(one)).due_at === null)
    expect((await userRow(one)).ended_at).toBeNull()
  })

  test('a self-exclusion binds who closes and opens again, at any address they had', async () => {
    const one = await trader()
    const moved = await emailChangeOf(app).change(one, emailChangeOf(app).newAddress())
    expect(
      (await app.send('POST', '/api/guardrails/exclusion', { token: moved.token, body: { months: 6 } })).status,
    ).toBe(200)
    const back = await app.trader(moved)
    expect(code(await close(back))).toEqual(DONE)
    await age(back, '14 days')
    await untilClosed(isEnded(back))
    for (const email of [one.email, moved.email, moved.email.replace('@', '+again@')]) {
      const again = await app.trader(await app.register(email))
      const { json } = await app.send('GET', '/api/guardrails', { token: again.token })
      expect((json!.data as { block: unknown }).block, email).toMatchObject({ kind: 'exclusion', carried_over: true })
    }
  })
})

test('verify finds an account that ended without its request, or that should have been closed', async () => {
  const one = await trader()
  const brokenBy = (statement: string) =>
    asSuper(async (client) => {
      await client.query(statement, [one.id])
      const found: string[] = []
      for (const check of accountChecks) if ((await client.query(check.sql)).rowCount) found.push(check.name)
      return found
    }, 'replica')
  expect(await brokenBy('select $1::bigint')).toEqual([])
  expect(await brokenBy('update users set ended_at = now() where id = $1')).toEqual(['E4'])
  expect(
    await brokenBy(`insert into account_closures (user_id, due_at) values ($1, now() - interval '25 hours')`),
  ).toEqual(['E4'])
})
