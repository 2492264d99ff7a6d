import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { LoginReply } from '#contract/account/auth.ts'
import { api, type CallName } from '#contract/api.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { closeGuests } from '#server/identity/accounts/close-account.ts'
import { guestChecks } from '#server/invariants/checks/guests.ts'
import { sql } from '#server/platform/database/db.ts'
import { refusal } from '#tests/support/replies.ts'
import { ORDER, sharedApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const app = await sharedApp()
afterAll(() => app.stop())

/** The calls that a guest may make; every other one of a trader is refused. */
const ALLOWED: CallName[] = [
  'DELETE /alerts/:id',
  'DELETE /waiting-orders/:id',
  'GET /alerts',
  'GET /notices',
  'GET /notices/preferences',
  'GET /notices/push',
  'GET /trading',
  'GET /trading/:trade_id',
  'GET /trading/:trade_id/receipt',
  'GET /trading/file',
  'GET /trading/limits',
  'GET /trading/results',
  'GET /trading/statistics',
  'GET /trading/tags',
  'GET /users/chart',
  'GET /users/me',
  'GET /users/screen',
  'GET /waiting-orders',
  'GET /waiting-orders/:id',
  'PATCH /notices/preferences',
  'PATCH /users/chart',
  'PATCH /users/screen',
  'POST /alerts',
  'POST /alerts/:id/arm',
  'POST /notices/push',
  'POST /notices/push/end',
  'POST /notices/push/test',
  'POST /notices/read',
  'POST /trading/:trade_id/sell',
  'POST /trading/demo/reset',
  'POST /trading/submit',
  'POST /waiting-orders',
  'PUT /alerts/:id',
  'PUT /trading/:trade_id/note',
  'PUT /waiting-orders/:id',
]
const OF_TRADERS = Object.entries(api as Record<string, Endpoint>).filter(([, { access }]) => access === 'user')

const guest = async () => {
  const { json } = await app.send('POST', '/api/auth/guest')
  const { data, tokens } = json as unknown as LoginReply
  return { id: BigInt(data.id), data, token: tokens.access.token }
}
const account = () => {
  const password = `Maßstab-${randomUUID()}`
  return {
    firstname: 'Ada',
    lastname: 'Byron',
    email: `${randomUUID()}@example.org`,
    password,
    confirmPassword: password,
  }
}

test('guests may make exactly these calls', () => {
  const open = OF_TRADERS.filter(([, { guests }]) => guests).map(([name]) => name)
  expect(open.toSorted()).toEqual(ALLOWED)
})

test.each(OF_TRADERS)('%s is answered or refused as its row says', async (name, { guests }) => {
  const { token } = await guest()
  const [method, path] = name.split(' ') as [string, string]
  const reply = await app.send(method, `/api${path.replaceAll(/:\w+/g, '1')}`, { token })
  if (guests) expect(reply.json?.code).not.toBe('account_required')
  else expect(refusal(reply)).toEqual([403, 'account_required'])
})

test('a guest trades in demo, with the balance of a new account, and never in real', async () => {
  const { data, token } = await guest()
  expect(data).toMatchObject({ email: '', email_verified: false, balance: 0, demo_balance: 10_000 })
  expect(
    await app.send('POST', '/api/trading/submit', { token, body: { ...ORDER, mode: 'demo', amount: 100 } }),
  ).toMatchObject({
    status: 200,
  })
  const real = await app.send('POST', '/api/trading/submit', { token, body: { ...ORDER, mode: 'real' } })
  expect(refusal(real)).toEqual([403, 'account_required'])
})

test('registering keeps the account, its trades and its session', async () => {
  const { id, token } = await guest()
  await app.send('POST', '/api/trading/submit', { token, body: { ...ORDER, mode: 'demo' } })
  const form = account()
  expect((await app.send('POST', '/api/auth/register', { token, body: form })).status).toBe(200)
  const me = (await app.send('GET', '/api/users/me', { token })).json as { data: { id: string; email: string } }
  expect(me.data).toMatchObject({ id: String(id), email: form.email })
  // What a guest may not do works at once.
  expect((await app.send('GET', '/api/withdraw/requirements', { token })).status).toBe(200)
  const trades = (await app.send('GET', '/api/trading?mode=demo', { token })).json as { data: unknown[] }
  expect(trades.data).toHaveLength(1)
  const { email, password } = form
  expect((await app.send('POST', '/api/auth/login', { body: { email, password } })).json).toMatchObject({
    data: { id: String(id) },
  })
})

test('parallel registrations keep it once', async () => {
  const { token, id } = await guest()
  const forms = [account(), account(), account(), account()]
  const replies = await Promise.all(forms.map((body) => app.send('POST', '/api/auth/register', { token, body })))
  // One that arrives after the guest became a trader opens another account, as for any trader.
  for (const reply of replies) if (reply.status !== 200) expect(refusal(reply)).toEqual([409, 'wrong_state'])
  const opened = await app.db
    .selectFrom('users')
    .select(['id', 'email'])
    .where(
      'email',
      'in',
      forms.map(({ email }) => email),
    )
    .execute()
  expect(opened).toHaveLength(replies.filter(({ status }) => status === 200).length)
  expect(opened.filter((one) => one.id === BigInt(id))).toHaveLength(1)
  expect(await app.broken()).toEqual([])
  expect((await app.send('GET', '/api/users/me', { token })).json).toMatchObject({ data: { id: String(id) } })
})

test('a guest takes no confirmed address, and refers nobody to themselves', async () => {
  const { token, data } = await guest()
  const taken = await app.trader()
  await app.verify(taken)
  const body = { ...account(), email: taken.email }
  expect(refusal(await app.send('POST', '/api/auth/register', { token, body }))).toEqual([409, 'already_exists'])
  const own = { ...account(), referral_code: data.referral_code }
  expect(refusal(await app.send('POST', '/api/auth/register', { token, body: own }))).toEqual([
    422,
    'validation_failed',
  ])
  const placeholder = { ...account(), email: `${randomUUID()}@guest.invalid` }
  expect(refusal(await app.send('POST', '/api/auth/register', { body: placeholder }))).toEqual([
    422,
    'validation_failed',
  ])
})

test('an account that nobody keeps closes after its time, and verify sees one that does not', async () => {
  const { id, token } = await guest()
  expect((await app.send('PATCH', '/api/users/screen', { token, body: { mode: 'demo' } })).status).toBe(200)
  const chosen = () => app.db.selectFrom('screen_choices').select('mode').where('user_id', '=', id).execute()
  expect(await chosen()).toEqual([{ mode: 'demo' }])
  const broken = async () => {
    const all = await Promise.all(guestChecks.map((check) => sql.raw<{ id: bigint }>(check.sql).execute(app.db)))
    return all.flatMap(({ rows }) => rows).filter((row) => row.id === id)
  }
  expect(await broken()).toEqual([])
  const client = await connectTo(app.superUrl)
  await client.query(`update users set guest_until = now() - interval '2 days' where id = $1`, [id])
  await client.query(`update sessions set expires_at = now() - interval '2 days' where user_id = $1`, [id])
  expect(await broken()).toHaveLength(1)
  await closeGuests({ db: app.db, endActivity: async () => undefined })
  expect(await broken()).toEqual([])
  const { rows } = await client.query('select ended_at from users where id = $1', [id])
  expect(rows[0].ended_at).not.toBeNull()
  expect(await chosen(), 'what was set on the screens').toEqual([])
  await client.query(
    `insert into deposit_requests (id, user_id, slot, coin, submitted, coin_amount, rate, address, is_test)
    values ($1, $1, 1, 'BTC', 100, 1, 1, 'x', true)`,
    [id],
  )
  expect(await broken()).toMatchObject([{ what: 'deposit request' }])
  await client.query('delete from deposit_requests where user_id = $1', [id])
  await client.end()
})

test('an onboarding session signs in once, and never after the address is confirmed', async () => {
  const skip = (session: string) => app.send('POST', '/api/auth/login/onboarding', { body: { session } })
  const first = await app.register()
  const replies = await Promise.all([1, 2, 3, 4].map(() => skip(first.session)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  // Someone else registered the address, and its owner confirms it.
  const other = await app.register()
  await app.send('POST', '/api/auth/verify-email', { body: { hash: await app.hashFor(other.email, /Confirm/i) } })
  expect(refusal(await skip(other.session))).toEqual([422, 'invalid_session'])
})
