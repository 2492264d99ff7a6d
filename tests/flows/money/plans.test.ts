import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { User } from '#contract/account/user.ts'
import type { PlanValue } from '#contract/terms.ts'
import { planChecks } from '#server/invariants/checks/plans.ts'
import { accountOf, openRequestKeys } from '#server/ledger/index.ts'
import { approvePlanRequest, type PlansDeps, rejectPlanRequest } from '#server/plans/index.ts'
import { inTransaction, type Tx } from '#server/platform/database/db.ts'
import { isTradeKey } from '#server/trading/index.ts'
import { operator } from '#tests/support/people/desk.ts'
import { openTestNotices, testPush } from '#tests/support/people/notices.ts'
import { ORDER, type Reply, sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

let app: WholeApp
let deps: PlansDeps
/** The desk's decisions, each in a separate transaction. */
const desk = {
  approve: (id: bigint) => decided((tx) => approvePlanRequest(deps, tx, id)),
  reject: (id: bigint, reason: string) => decided((tx) => rejectPlanRequest(deps, tx, id, reason)),
}
async function decided(work: (tx: Tx) => ReturnType<typeof approvePlanRequest>): Promise<void> {
  await inTransaction(app.db, work)
}

beforeAll(async () => {
  app = await sharedApp()
  deps = {
    db: app.db,
    push: testPush(),
    balances: { afterCommit: () => undefined },
    notices: openTestNotices(),
    keys: openRequestKeys(isTradeKey),
  }
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken, 'the money adds up after all of it').toEqual([])
})

async function funded(dollars: number): Promise<Trader> {
  const trader = await app.trader()
  if (dollars > 0) await app.fund(trader, dollars)
  return trader
}
const setPlan = (trader: Trader, plan: PlanValue, key?: string) =>
  app.send('POST', '/api/users/set-plan', {
    token: trader.token,
    body: { trading_plan: plan },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
const ask = (trader: Trader, plan: PlanValue) =>
  app.send('POST', '/api/users/request-plan-update', { token: trader.token, body: { trading_plan: plan } })
const me = async (trader: Trader) =>
  (await app.send('GET', '/api/users/me', { token: trader.token })).json!.data as User
const refusal = ({ status, json }: Reply) => [status, json?.code]
const codes = (replies: Reply[]) => replies.map(({ status, json }) => json?.code ?? status).sort()
const twenty = <T>(work: (n: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, n) => work(n)))
const requestsOf = (trader: Trader) =>
  app.db.selectFrom('plan_requests').selectAll().where('user_id', '=', BigInt(trader.id)).orderBy('id').execute()
const chargesOf = (trader: Trader) =>
  app.db.selectFrom('plan_charges').selectAll().where('user_id', '=', BigInt(trader.id)).orderBy('id').execute()

describe('buying a plan', () => {
  test('charges the real balance and leaves the demo balance alone', async () => {
    const trader = await funded(8_000.5)
    const reply = await setPlan(trader, 'Gold-7600')
    expect(reply.status, reply.text).toBe(200)
    expect(reply.json).toMatchObject({
      message: 'You now have the Gold plan.',
      data: { id: trader.id, trading_plan: 'Gold-7600', plan_request: null, balance: 400.5, demo_balance: 10_000 },
    })
    expect(await me(trader)).toEqual(reply.json!.data)
    expect(await chargesOf(trader)).toMatchObject([{ from_plan: '', plan: 'Gold-7600', amount: 760_000n }])
  })

  test('allows the exact balance, and not one cent less', async () => {
    const enough = await funded(3_000)
    expect((await setPlan(enough, 'Beginner-3000')).json).toMatchObject({ data: { balance: 0 } })
    const short = await funded(2_999.99)
    const reply = await setPlan(short, 'Beginner-3000')
    expect(refusal(reply)).toEqual([422, 'insufficient_balance'])
    expect(reply.json!.message).toBe('Insufficient balance')
    expect(await me(short)).toMatchObject({ trading_plan: '', balance: 2_999.99 })
    expect(await chargesOf(short)).toEqual([])
  })

  test('is possible only without a plan', async () => {
    const trader = await funded(60_000)
    await setPlan(trader, 'Gold-7600')
    for (const plan of ['Gold-7600', 'Beginner-3000', 'Diamond-50730'] as const)
      expect(refusal(await setPlan(trader, plan))).toEqual([409, 'wrong_state'])
    expect(await me(trader)).toMatchObject({ trading_plan: 'Gold-7600', balance: 52_400 })
  })

  test.each(['None', '', 'gold-7600', 'Gold', 'Gold-1', 'Gold-7600 ', null, 7600, ['Gold-7600'], {}, true])(
    'rejects the plan %j',
    async (plan) => {
      const trader = await funded(0)
      const reply = await app.send('POST', '/api/users/set-plan', {
        token: trader.token,
        body: { trading_plan: plan },
      })
      expect(refusal(reply)).toEqual([422, 'validation_failed'])
    },
  )

  test('ignores any user or price in the request', async () => {
    const trader = await funded(3_000)
    const other = await funded(9_000)
    for (const more of [{ user_id: other.id }, { price: 1 }, { amount: 0 }, { balance: 1 }]) {
      const reply = await app.send('POST', '/api/users/set-plan', {
        token: trader.token,
        body: { trading_plan: 'Beginner-3000', ...more },
      })
      expect(refusal(reply)).toEqual([422, 'validation_failed'])
    }
    expect(await me(other)).toMatchObject({ trading_plan: '', balance: 9_000 })
    expect(await me(trader)).toMatchObject({ trading_plan: '', balance: 3_000 })
  })

  test('twenty parallel purchases charge once', async () => {
    const trader = await funded(60_000)
    const replies = await twenty((n) => setPlan(trader, n % 2 ? 'Gold-7600' : 'Beginner-3000'))
    expect(codes(replies)).toEqual([200, ...Array.from({ length: 19 }, () => 'wrong_state')])
    expect(await chargesOf(trader)).toHaveLength(1)
  })

  test('a plan and parallel trades never spend the same money', async () => {
    const trader = await funded(3_000)
    const trade = () =>
      app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, mode: 'real', amount: 1_000 } })
    const replies = await twenty((n) => (n % 2 ? setPlan(trader, 'Beginner-3000') : trade()))
    const { trading_plan, balance } = await me(trader)
    const trades = replies.filter(({ status, json }) => status === 200 && 'trade_id' in (json!.data as object)).length
    expect(trades * 1_000 + (trading_plan === '' ? 0 : 3_000) + balance).toBe(3_000)
    expect(trades > 0).toBe(trading_plan === '')
  })

  test('twenty parallel purchases under one key get the same response and charge once', async () => {
    const trader = await funded(10_000)
    const replies = await twenty(() => setPlan(trader, 'Beginner-3000', 'one key'))
    expect(codes(replies)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await me(trader)).toMatchObject({ balance: 7_000 })
    expect(refusal(await setPlan(trader, 'Gold-7600', 'one key'))).toEqual([409, 'idempotency_mismatch'])
    expect(refusal(await setPlan(trader, 'Beginner-3000', 'another key'))).toEqual([409, 'wrong_state'])
  })

  test('a rejection frees the key, and keys are per trader', async () => {
    const [poor, rich] = [await funded(0), await funded(3_000)]
    expect(refusal(await setPlan(poor, 'Beginner-3000', 'shared'))).toEqual([422, 'insufficient_balance'])
    expect((await setPlan(rich, 'Beginner-3000', 'shared')).status).toBe(200)
    await app.fund(poor, 3_000)
    expect((await setPlan(poor, 'Beginner-3000', 'shared')).status).toBe(200)
  })
})

describe('requesting an upgrade', () => {
  const LADDER = ['', 'Beginner-3000', 'Gold-7600', 'Platinum-21199', 'Diamond-50730'] as const

  test('allows only higher plans, and only from a plan', async () => {
    for (const [from, current] of LADDER.entries()) {
      for (const [to, wanted] of LADDER.entries()) {
        if (wanted === '') continue
        const trader = await funded(60_000)
        if (current !== '') await setPlan(trader, current)
        const reply = await ask(trader, wanted)
        const isUpwards = current !== '' && to > from
        expect(reply.status, `${current} to ${wanted}: ${reply.text}`).toBe(isUpwards ? 200 : 409)
        expect(await requestsOf(trader)).toHaveLength(isUpwards ? 1 : 0)
      }
    }
  })

  test('returns the request as shown on the user, charges nothing, one at a time', async () => {
    const trader = await funded(3_100)
    await setPlan(trader, 'Beginner-3000')
    const reply = await ask(trader, 'Platinum-21199')
    const request = { plan: 'Platinum', trading_plan: 'Platinum-21199', status: 'Pending' }
    expect(reply.json).toEqual({
      status: true,
      message: 'You requested the Platinum plan.',
      data: request,
    })
    expect(await me(trader)).toMatchObject({ trading_plan: 'Beginner-3000', plan_request: request, balance: 100 })
    for (const plan of ['Platinum-21199', 'Diamond-50730'] as const)
      expect(refusal(await ask(trader, plan))).toEqual([409, 'wrong_state'])
  })

  test('twenty parallel requests are one', async () => {
    const trader = await funded(3_000)
    await setPlan(trader, 'Beginner-3000')
    const replies = await twenty(() => ask(trader, 'Gold-7600'))
    expect(codes(replies)).toEqual([200, ...Array.from({ length: 19 }, () => 'wrong_state')])
    expect(await requestsOf(trader)).toHaveLength(1)
  })

  test('the database rejects a second pending request, a downgrade and a second decision', async () => {
    const trader = await funded(3_000)
    await setPlan(trader, 'Beginner-3000')
    await ask(trader, 'Gold-7600')
    const insert = (from_plan: PlanValue, plan: PlanValue) =>
      app.db
        .insertInto('plan_requests')
        .values({ user_id: BigInt(trader.id), from_plan, plan })
        .execute()
    await expect(insert('Beginner-3000', 'Platinum-21199')).rejects.toThrow(/plan_requests_pending/)
    await expect(insert('Gold-7600', 'Gold-7600')).rejects.toThrow(/plan_requests_upwards/)
    const [request] = await requestsOf(trader)
    await desk.reject(request!.id, 'Not yet.')
    await expect(
      app.db.updateTable('plan_requests').set({ status: 'Pending', reason: null, decided_at: null }).execute(),
    ).rejects.toThrow()
    await expect(app.db.deleteFrom('plan_charges').execute()).rejects.toThrow()
  })
})

describe('deciding a request', () => {
  async function asked(dollars: number) {
    const trader = await funded(dollars)
    await setPlan(trader, 'Beginner-3000')
    await ask(trader, 'Gold-7600')
    return { trader, id: (await requestsOf(trader))[0]!.id }
  }

  test('an approval charges the difference and allows the next request', async () => {
    const { trader, id } = await asked(8_000)
    await desk.approve(id)
    expect(await me(trader)).toMatchObject({ trading_plan: 'Gold-7600', plan_request: null, balance: 400 })
    expect(await chargesOf(trader)).toMatchObject([{ amount: 300_000n }, { amount: 460_000n, request_id: id }])
    expect((await ask(trader, 'Diamond-50730')).status).toBe(200)
  })

  test('a rejection charges nothing, stores the reason and allows another request', async () => {
    const { trader, id } = await asked(8_000)
    await desk.reject(id, 'Please confirm your identity first.')
    expect(await me(trader)).toMatchObject({ trading_plan: 'Beginner-3000', plan_request: null, balance: 5_000 })
    expect(await requestsOf(trader)).toMatchObject([
      { status: 'Rejected', reason: 'Please confirm your identity first.' },
    ])
    expect((await ask(trader, 'Gold-7600')).status).toBe(200)
  })

  test("stays pending if the balance doesn't cover it", async () => {
    const { trader, id } = await asked(7_599.99)
    await expect(desk.approve(id)).rejects.toMatchObject({ code: 'insufficient_balance' })
    expect(await me(trader)).toMatchObject({ trading_plan: 'Beginner-3000', plan_request: { status: 'Pending' } })
    await desk.reject(id, 'Not covered.')
  })

  test('twenty parallel decisions count once and are final', async () => {
    const { trader, id } = await asked(20_000)
    const done = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? desk.approve(id) : desk.reject(id, 'No.'))),
    )
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(desk.approve(id)).rejects.toMatchObject({ code: 'wrong_state' })
    await expect(desk.reject(id, 'No.')).rejects.toMatchObject({ code: 'wrong_state' })
    await expect(desk.approve(999_999n)).rejects.toMatchObject({ code: 'not_found' })
    expect((await me(trader)).plan_request).toBeNull()
  })
})

test('open screens are notified', async () => {
  const trader = await funded(3_000)
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/stream`)
  const received: { op: string; data: unknown }[] = []
  socket.onmessage = ({ data }) => received.push(JSON.parse(String(data)))
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  socket.send(JSON.stringify({ op: 'auth', token: trader.token }))
  await expect.poll(() => received.some(({ op }) => op === 'ready')).toBe(true)
  await setPlan(trader, 'Beginner-3000')
  await expect
    .poll(() => received.find(({ op }) => op === 'balance')?.data)
    .toEqual({ balance: 0, demo_balance: 10_000 })
  expect(received.find(({ op }) => op === 'plan')?.data).toEqual({ trading_plan: 'Beginner-3000', plan_request: null })
  socket.close()
})

test('verify finds planted violations', async () => {
  const trader = await funded(3_000)
  await setPlan(trader, 'Beginner-3000')
  const found = async (entry: string) => {
    const client = await connectTo(app.superUrl)
    try {
      await client.query('begin')
      await client.query("set local session_replication_role = 'replica'")
      expect((await client.query(entry)).rowCount).not.toBe(0)
      const broken: boolean[] = []
      for (const { sql } of planChecks) broken.push(((await client.query(sql)).rowCount ?? 0) > 0)
      return broken
    } finally {
      await client.query('rollback')
      await client.end()
    }
  }
  const id = trader.id
  const account = accountOf(BigInt(id), 'real')
  expect(await found(`update users set trading_plan = 'Diamond-50730' where id = ${id}`)).toEqual([false, true, false])
  expect(await found(`delete from transfers where cause = 'plan_charge' and account_id = ${account}`)).toEqual([
    true,
    false,
    false,
  ])
  expect(
    await found(
      `update users set plan_request = 'Gold-7600', plan_request_status = 'Pending', plan_requested_at = now() where id = ${id}`,
    ),
  ).toEqual([false, false, true])
})

describe('a request for a plan', () => {
  const newest = async (trader: Trader) =>
    (await app.send('GET', '/api/users/plan-request', { token: trader.token })).json!.data

  test('can be withdrawn once while pending, and made again', async () => {
    const trader = await funded(3_000)
    await setPlan(trader, 'Beginner-3000')
    expect(await newest(trader)).toBeNull()
    const ask = () =>
      app.send('POST', '/api/users/request-plan-update', { token: trader.token, body: { trading_plan: 'Gold-7600' } })
    const withdraw = () => app.send('POST', '/api/users/withdraw-plan-request', { token: trader.token })
    expect((await ask()).status).toBe(200)
    const replies = await Promise.all(Array.from({ length: 10 }, withdraw))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await me(trader)).toMatchObject({ trading_plan: 'Beginner-3000', plan_request: null })
    expect(await newest(trader)).toMatchObject({ plan: 'Gold', status: 'Cancelled' })
    expect((await ask()).status).toBe(200)
    expect(await newest(trader)).toEqual({ plan: 'Gold', status: 'Pending' })
  })

  test('shows why it was rejected', async () => {
    const trader = await funded(3_000)
    await setPlan(trader, 'Beginner-3000')
    await app.send('POST', '/api/users/request-plan-update', {
      token: trader.token,
      body: { trading_plan: 'Gold-7600' },
    })
    const desk = await operator(app, ['finance'])
    const { id } = await app.db
      .selectFrom('plan_requests')
      .select('id')
      .where('user_id', '=', BigInt(trader.id))
      .executeTakeFirstOrThrow()
    const reply = await desk.ask('POST', `/plan-requests/${id}/reject`, { body: { reason: 'Trade a month first.' } })
    expect(reply.status, reply.text).toBe(200)
    expect(await newest(trader)).toMatchObject({ plan: 'Gold', status: 'Rejected', reason: 'Trade a month first.' })
  })
})
