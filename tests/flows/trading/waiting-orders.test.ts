import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { WAITING_MAX } from '#contract/trading/waiting.ts'
import { usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { accountChecks } from '#server/invariants/checks/accounts.ts'
import { waitingChecks } from '#server/invariants/checks/waiting.ts'
import { brokenRows } from '#server/invariants/index.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import type { OpenTrade } from '#server/trading/acceptance/open-trade.ts'
import { cancelOrders, verifyTriggers } from '#server/waiting/index.ts'
import { openTestWaiting } from '#tests/support/people/waiting.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { holders } from '#tests/support/trades/holders.ts'
import { type Market, openMarket } from '#tests/support/trades/market.ts'

let database: TestDatabase
let market: Market
let scene: ReturnType<typeof openTestWaiting>
let holding: ReturnType<typeof holders>['holding']
beforeAll(async () => {
  database = await createTestDatabase()
  market = await openMarket(database)
  scene = openTestWaiting(database, market)
  holding = holders(database).holding
})
afterAll(async () => {
  await market.close()
  await database.drop()
})
beforeEach(() => scene.ticks('70000.00'))

const BODY: OpenTrade['body'] = {
  ...{ symbol: 'BTCUSDT', trading_type: 'Cryptocurrency' as const, trade_mode: 'Buy' as const, duration: 60 as const },
  ...{ strike_rate: '75/3' as const, mode: 'demo' as const },
}

const tradesOf = (userId: bigint) =>
  database.db
    .selectFrom('trades')
    .selectAll()
    .where('account_id', 'in', [accountOf(userId, 'demo'), accountOf(userId, 'real')])
    .orderBy('id')
    .execute()
const noticesOf = async (userId: bigint) =>
  (await database.db.selectFrom('notices').selectAll().where('user_id', '=', userId).orderBy('id').execute()).filter(
    ({ kind }) => kind === 'order',
  )
const E6 = must(accountChecks.find(({ name }) => name === 'E6'))
async function expectSound() {
  expect(await verifyTriggers(database.db)).toMatchObject({ broken: undefined })
  for (const check of waitingChecks) expect(await brokenRows(database.db, check, 3), check.name).toEqual([])
  expect(await market.broken()).toEqual([])
}

test('a price triggers its order once, and the trade enters at the next tick', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { trade_mode: 'Buy', level: '70100', amount: 25, strike_rate: '11/13', duration: 300 })
  await scene.place(ada, { trade_mode: 'Sell', condition: 'at_or_below', level: '69900' })
  await engine.trigger()
  await scene.ticks('70099.99')
  await engine.trigger()
  await engine.place()
  expect(await tradesOf(ada)).toEqual([])
  await scene.ticks('70100.00')
  await engine.trigger()
  await engine.place()
  await scene.ticks('70150.00', '70000.00')
  const [trade, ...others] = await tradesOf(ada)
  expect(others).toEqual([])
  expect(trade).toMatchObject({ side: 'Buy', stake: 2_500n, percent: 11, duration_seconds: 300, mode: 'demo' })
  const [waits, traded] = await scene.orders(ada)
  expect(waits).toMatchObject({ status: 'Waiting', condition: 'at_or_below', level: '69900.00' })
  expect(traded).toMatchObject({ status: 'Traded', triggered: { price: '70100.00' } })
  expect(trade?.key).toBe(`waiting:${traded?.id}`)
  const { entry_price } = await market.trading.routes['GET /trading/:trade_id']({
    ...{ who: scene.who(ada), params: { trade_id: trade!.id }, reads: database.db },
  } as never).then((reply) => ({ entry_price: (reply as { data: { start_price: number } }).data.start_price }))
  expect(entry_price).toBe(70_150)
  expect((await noticesOf(ada)).map(({ title }) => title)).toEqual([
    'Order placed: Buy BTCUSDT for $25.00 of demo money',
  ])
  await expectSound()
})

test('an order that someone else has locked holds back no other, and comes once it is free', async () => {
  const [ada, bob, engine] = [await market.trader(), await market.trader(), scene.engine()]
  for (const user of [ada, bob]) await scene.place(user, { level: '70100' })
  await scene.place(ada, { level: '75000', valid_until: scene.inTime(61_000) })
  await scene.place(bob, { level: '75000', valid_until: scene.inTime(61_000) })
  await engine.trigger()
  const lock = 'select from waiting_orders where account_id in ($1, $2) for update'
  const holder = await holding(lock, [accountOf(ada, 'demo'), accountOf(ada, 'real')])
  await scene.ticks('70100.00')
  await engine.trigger()
  await engine.place()
  await scene.ticks('70150.00')
  expect([await tradesOf(ada), await tradesOf(bob)].map((trades) => trades.length)).toEqual([0, 1])
  await holder.query('rollback')
  await engine.trigger()
  await engine.place()
  await scene.ticks('70160.00')
  expect(await tradesOf(ada)).toHaveLength(1)
  expect((await scene.orders(ada)).find(({ status }) => status === 'Traded')).toMatchObject({
    triggered: { price: '70100.00' },
  })
  // Nor one whose time is over.
  await market.pass(62_000)
  const late = await holding(lock, [accountOf(ada, 'demo'), accountOf(ada, 'real')])
  const over = async (user: bigint) => (await scene.orders(user)).filter(({ status }) => status === 'Expired').length
  await market.pass(12_000)
  await engine.trigger()
  await engine.place()
  expect([await over(ada), await over(bob)]).toEqual([0, 1])
  await late.query('rollback')
  await engine.place()
  expect(await over(ada)).toBe(1)
  await expectSound()
})

test('a time triggers with the first tick at or after it, and expires without one within a minute', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { condition: 'at_time', at: scene.inTime(1_000) })
  await scene.place(ada, { condition: 'at_time', at: scene.inTime(5_000), symbol: 'ETHUSDT' }).catch(() => undefined)
  await engine.trigger()
  await scene.ticks('70001.00', '70002.00', '70003.00')
  await engine.trigger()
  await engine.place()
  expect(await tradesOf(ada)).toHaveLength(0)
  await scene.ticks('70004.00')
  await engine.trigger()
  await engine.place()
  await scene.ticks('70005.00')
  expect(await tradesOf(ada)).toHaveLength(1)
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Traded', triggered: { price: '70004.00' } }])
  // No price for longer than a minute.
  await scene.place(ada, { condition: 'at_time', at: scene.inTime(1_000) })
  await engine.trigger()
  await market.pass(75_000, { silent: true })
  await scene.ticks('70006.00')
  await engine.trigger()
  await engine.place()
  expect((await scene.orders(ada))[0]).toMatchObject({ status: 'Expired' })
  expect((await noticesOf(ada)).at(-1)?.text).toMatch(/had no price within a minute of its time/)
  await expectSound()
})

test('an order that is no longer valid expires, and says so', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { level: '70100', valid_until: scene.inTime(61_000) })
  await engine.trigger()
  await market.pass(62_000)
  await scene.ticks('70200.00')
  await engine.trigger()
  await market.pass(12_000)
  await engine.trigger()
  await engine.place()
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Expired' }])
  expect(await tradesOf(ada)).toEqual([])
  expect((await noticesOf(ada)).map(({ title }) => title)).toEqual([
    'Order expired: Buy BTCUSDT for $10.00 of demo money',
  ])
})

test('a trigger without balance says why, and takes nothing', async () => {
  const [ada, engine] = [await market.trader(500n), scene.engine()]
  await scene.place(ada, { mode: 'real' })
  await engine.trigger()
  await scene.ticks('70100.00')
  await engine.trigger()
  await engine.place()
  expect(await tradesOf(ada)).toEqual([])
  expect(await scene.orders(ada, 'real')).toMatchObject([{ status: 'Refused', reason: 'Insufficient balance' }])
  expect(await scene.orders(ada, 'demo')).toEqual([])
  const [notice] = await noticesOf(ada)
  expect(notice).toMatchObject({ title: 'Order not placed: Buy BTCUSDT for $10.00' })
  expect(notice?.text).toMatch(/^No trade was placed: Insufficient balance/)
})

test('orders of closed, locked and self-excluded accounts end without a trade, and say why', async () => {
  const engine = scene.engine()
  const [closed, locked, frozen, excluded] = await Promise.all([1, 2, 3, 4].map(() => market.trader(100_000n)))
  for (const trader of [closed, locked, frozen, excluded]) await scene.place(trader!, { mode: 'real' })
  await database.db.updateTable('users').set({ ended_at: sql<Date>`now()` }).where('id', '=', closed!).execute()
  await database.db
    .updateTable('users')
    .set({ sign_in_locked_at: sql<Date>`now()` })
    .where('id', '=', locked!)
    .execute()
  await database.db.updateTable('accounts').set({ trading_locked: true }).where('user_id', '=', frozen!).execute()
  // As an exclusion leaves the account.
  const real = accountOf(excluded!, 'real')
  const client = await connectTo(database.superUrl)
  await client.query(`insert into guards (account_id, blocked_until) values (${real}, 'infinity')`)
  await client.query(`update accounts set guarded = true where id = ${real}`)
  await client.end()
  await engine.trigger()
  await scene.ticks('70100.00')
  await engine.trigger()
  await engine.place()
  const reasons = await Promise.all(
    [closed, locked, frozen, excluded].map(async (trader) => (await scene.orders(trader!, 'real'))[0]?.reason),
  )
  expect(reasons).toEqual([
    'This account is closed.',
    'Sign-in to this account is locked. Contact support.',
    'Trading is locked for this account. Contact support.',
    expect.stringContaining('taking a break'),
  ])
  for (const trader of [closed, locked, frozen, excluded]) expect(await tradesOf(trader!)).toEqual([])
})

test('orders that were triggered when their account closes make no trade, whatever an engine writes meanwhile', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { level: '70100' })
  await scene.place(ada, { level: '70200' })
  await scene.place(ada, { level: '70300' })
  await engine.trigger()
  await scene.ticks('70100.00')
  await engine.trigger()
  const [last, middle, first] = await scene.orders(ada)
  expect([first?.status, middle?.status, last?.status]).toEqual(['Triggered', 'Waiting', 'Waiting'])
  // Another engine has written a trigger, and its commit is late.
  await scene.ticks('70200.00')
  const { seq, sourceMs } = must(market.prices.tape.latest('BTCUSDT'))
  const late = await connectTo(database.superUrl)
  onTestFinished(() => late.end())
  await late.query('begin')
  await late.query(
    `update waiting_orders set status = 'Triggered', trigger_price = level, trigger_seq = $2, trigger_ms = $3 where id = $1`,
    [middle?.id, seq, sourceMs],
  )
  const closing = inTransaction(database.db, async (tx) => {
    await tx
      .updateTable('users')
      .set({ ended_at: sql<Date>`now()`, email_confirmed_at: sql<Date>`now()` })
      .where('id', '=', ada)
      .execute()
    await cancelOrders(scene.deps, tx, ada)
  })
  const waits = sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%delete from "waiting_orders"%'`
  await expect.poll(async () => (await waits.execute(database.db)).rows.length).toBe(1)
  await late.query('commit')
  await closing
  expect(await brokenRows(database.db, E6, 3)).toEqual([])
  await engine.place()
  await market.pass(2_000)
  await scene.engine().place()
  expect(await tradesOf(ada)).toEqual([])
  expect(await scene.orders(ada)).toMatchObject([
    { id: middle?.id, status: 'Refused', reason: 'This account is closed.' },
    { id: first?.id, status: 'Refused', reason: 'This account is closed.' },
  ])
  await expectSound()
})

test('verify finds an order of a closed account that was triggered', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { level: '70100' })
  await engine.trigger()
  await scene.ticks('70100.00')
  await engine.trigger()
  const ended = { ended_at: sql<Date>`now()`, email_confirmed_at: sql<Date>`now()` }
  await database.db.updateTable('users').set(ended).where('id', '=', ada).execute()
  expect(await brokenRows(database.db, E6, 3)).toEqual([`{"id":"${ada}","what":"order"}`])
  await inTransaction(database.db, (tx) => cancelOrders(scene.deps, tx, ada))
  expect(await brokenRows(database.db, E6, 3)).toEqual([])
})

test('two engines trigger an order once, and both may place its trade', async () => {
  const ada = await market.trader()
  const [one, two] = [scene.engine(), scene.engine()]
  for (let n = 1; n <= WAITING_MAX; n++) await scene.place(ada, { level: String(70_000 + n) })
  await Promise.all([one.trigger(), two.trigger()])
  await scene.ticks('70015.00')
  await Promise.all([one.trigger(), two.trigger()])
  await Promise.all([one.place(), two.place(), one.place(), two.place()])
  await scene.ticks('70000.00')
  expect(await tradesOf(ada)).toHaveLength(15)
  expect((await scene.orders(ada)).filter(({ status }) => status === 'Traded')).toHaveLength(15)
  expect(await noticesOf(ada)).toHaveLength(15)
  await expectSound()
})

test('an engine that dies between trigger and trade loses nothing: the next one places it, once', async () => {
  const ada = await market.trader()
  let accepts = true
  const dying = scene.engine({
    trading: {
      open: async (command) => {
        // The trade is committed, and the engine never learns of it.
        if (accepts) await market.trading.open(command)
        throw new Error('killed')
      },
    },
  })
  await scene.place(ada, { level: '70100' })
  await scene.place(ada, { level: '70101' })
  await dying.trigger()
  await scene.ticks('70100.00')
  await dying.trigger()
  await dying.place()
  accepts = false
  await scene.ticks('70101.00')
  await dying.trigger()
  await dying.place()
  scene.kill(dying)
  expect(await tradesOf(ada)).toHaveLength(1)
  expect((await scene.orders(ada)).map(({ status }) => status)).toEqual(['Triggered', 'Traded'])
  const next = scene.engine()
  // The engine that triggered it has a moment to place its trade.
  await next.place()
  expect(await tradesOf(ada)).toHaveLength(1)
  await market.pass(2_000)
  await Promise.all([next.trigger(), next.place()])
  await next.place()
  expect(await tradesOf(ada)).toHaveLength(2)
  expect((await scene.orders(ada)).map(({ status }) => status)).toEqual(['Traded', 'Traded'])
  await scene.ticks('70000.00')
  await expectSound()
})

test('an engine that dies before it wrote the trigger loses nothing: the next one reads the tape back', async () => {
  const ada = await market.trader()
  await scene.place(ada, { level: '70100' })
  // No engine sees this one.
  await scene.ticks('70100.00', '70000.00')
  const engine = scene.engine()
  await engine.trigger()
  await engine.place()
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Traded', triggered: { price: '70100.00' } }])
})

test('a trade that is not possible within a minute of the trigger is never placed', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { level: '70100' })
  await engine.trigger()
  await scene.ticks('70100.00')
  await engine.trigger()
  await market.pass(61_000)
  await engine.place()
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Refused', reason: /within a minute/ }])
  expect(await tradesOf(ada)).toEqual([])
})

test('nobody can make the trade of an order: not with its key, not before its trigger, not on other terms', async () => {
  const [ada, eve, engine] = [await market.trader(), await market.trader(), scene.engine()]
  const { id } = await scene.place(ada, { level: '70100' })
  const command = {
    ...{ key: `waiting:${id}`, fingerprint: Buffer.alloc(32), stake: usd(1_000n) },
    body: BODY,
  }
  await expect(market.trading.open({ ...command, userId: ada })).rejects.toMatchObject({ code: '23514' })
  await engine.trigger()
  await scene.ticks('70100.00')
  // PostgreSQL reports a refusal before it unlocks the order: a locked one is triggered by a later round.
  await expect
    .poll(async () => {
      await engine.trigger()
      return scene.orders(ada)
    })
    .toMatchObject([{ status: 'Triggered' }])
  for (const other of [
    { ...command, userId: eve },
    { ...command, userId: ada, stake: usd(1_001n) },
    { ...command, userId: ada, body: { ...command.body, trade_mode: 'Sell' } as typeof command.body },
    { ...command, userId: ada, key: `waiting:0${id}` },
  ])
    await expect(market.trading.open(other)).rejects.toMatchObject({ code: '23514' })
  await engine.place()
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Traded' }])
  await expect(market.trading.open({ ...command, userId: ada })).rejects.toMatchObject({ code: '23514' })
  expect(await tradesOf(ada)).toHaveLength(1)
  expect(await tradesOf(eve)).toEqual([])
})

test('an account has at most its number of orders, and a request that arrives twice makes one', async () => {
  const ada = await market.trader()
  const outcomes = await Promise.allSettled(
    Array.from({ length: WAITING_MAX + 5 }, (_, n) => scene.place(ada, { level: String(80_000 + n) })),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(WAITING_MAX)
  const [{ id } = { id: '' }] = await scene.orders(ada)
  await scene.cancel(ada, id)
  const [one, two] = await Promise.all([scene.place(ada, {}, 'k'), scene.place(ada, {}, 'k')])
  expect(two).toEqual(one)
  await expect(scene.place(ada, { level: '90001' })).rejects.toMatchObject({ code: 'limit_reached' })
  await expect(
    sql`insert into waiting_orders select * from waiting_orders where id = ${BigInt(one!.id)}`.execute(database.db),
  ).rejects.toThrow()
  for (const order of await scene.orders(ada)) await scene.cancel(ada, order.id)
})

test('an order moves only while it waits, and is not triggered by its old price', async () => {
  const [ada, eve, engine] = [await market.trader(), await market.trader(), scene.engine()]
  const { id } = await scene.place(ada, { level: '70100' })
  await engine.trigger()
  await scene.ticks('70100.00')
  expect(await scene.move(ada, id, '70300')).toMatchObject({ level: '70300.00', status: 'Waiting' })
  await engine.trigger()
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Waiting' }])
  await expect(scene.move(ada, id, '70000')).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(scene.move(eve, id, '70400')).rejects.toMatchObject({ code: 'not_found' })
  await expect(scene.cancel(eve, id)).rejects.toMatchObject({ code: 'not_found' })
  await scene.ticks('70300.00')
  await engine.trigger()
  await expect(scene.move(ada, id, '70400')).rejects.toMatchObject({ code: 'wrong_state' })
  await expect(scene.cancel(ada, id)).rejects.toMatchObject({ code: 'wrong_state' })
  await engine.place()
  expect(await scene.orders(ada)).toMatchObject([{ status: 'Traded', triggered: { price: '70300.00' } }])
})

test('a cancelled order triggers nothing', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  const { id } = await scene.place(ada, { level: '70100' })
  await engine.trigger()
  await scene.cancel(ada, id)
  await scene.ticks('70100.00')
  await engine.trigger()
  await engine.place()
  expect([await scene.orders(ada), await tradesOf(ada)]).toEqual([[], []])
})

test('what triggered is checked against the tape, the terms, the trade and the notification', async () => {
  const [ada, engine] = [await market.trader(), scene.engine()]
  await scene.place(ada, { level: '70100' })
  await scene.place(ada, { condition: 'at_time', at: scene.inTime(600) })
  await engine.trigger()
  await scene.ticks('70050.00', '70120.00', '70150.00')
  await engine.trigger()
  await engine.place()
  await scene.ticks('70160.00')
  await market.pass(62_000)
  await market.settled()
  const check = async () => {
    const { broken } = await verifyTriggers(database.db)
    const rows = await Promise.all(waitingChecks.map((one) => brokenRows(database.db, one, 5)))
    return [broken, ...rows.flat()].filter(Boolean).length
  }
  expect((await scene.orders(ada)).map(({ status }) => status)).toEqual(['Traded', 'Traded'])
  expect(await check()).toBe(0)
  // Each of these is found, and put back by the next one. The table itself refuses them all.
  const client = await connectTo(database.superUrl)
  const ours = `where account_id = ${accountOf(ada, 'demo')}`
  const change = async (set: string) => {
    await expect(client.query(`update waiting_orders set ${set} ${ours}`), set).rejects.toThrow()
    await client.query(`set session_replication_role = replica; alter table waiting_orders drop constraint if exists waiting_orders_by_its_terms;
      update waiting_orders set ${set} ${ours}; set session_replication_role = default`)
  }
  for (const [wrong, back] of [
    ['trigger_price = trigger_price + 1', 'trigger_price = trigger_price - 1'],
    ['trigger_seq = trigger_seq + 1', 'trigger_seq = trigger_seq - 1'],
    ['level = level + 5000', 'level = level - 5000'],
    ['level = level - 9000', 'level = level + 9000'],
    ['at_ms = at_ms + 3000', 'at_ms = at_ms - 3000'],
    ['at_ms = at_ms - 500', 'at_ms = at_ms + 500'],
    ['base_seq = base_seq + 9', 'base_seq = base_seq - 9'],
    ['stake = stake + 1', 'stake = stake - 1'],
    ['trade_id = trade_id + 1000000', 'trade_id = trade_id - 1000000'],
    ['notice_id = notice_id + 1000', 'notice_id = notice_id - 1000'],
    ['trigger_ms = trigger_ms - 70000', 'trigger_ms = trigger_ms + 70000'],
  ] as const) {
    await change(wrong)
    expect(await check(), wrong).toBeGreaterThan(0)
    await change(back)
  }
  await client.end()
  expect(await check()).toBe(0)
})
