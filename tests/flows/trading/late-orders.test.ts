import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import { acceptSql, acceptValues } from '#server/trading/acceptance/accept.sql.ts'
import { holders } from '#tests/support/trades/holders.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { orderOf } from '#tests/support/trades/orders.ts'

/** Orders whose account someone else has locked, or that took long on their way. */
const { database, market } = await marketOfFile()
const { holding, lockAccounts } = holders(database)

const LIMITED = 'BCHBTC'
beforeEach(() => market.frame({ BTCUSDT: '60000.00', BCHBTC: '0.005000' }))

const demoOf = (user: bigint) => accountOf(user, 'demo')
const tradesOf = (user: bigint) =>
  database.db
    .selectFrom('trades')
    .selectAll()
    .where('account_id', 'in', [demoOf(user), accountOf(user, 'real')])
    .execute()
/** Long enough for an order to be tried several times while its account is locked. */
const SEVERAL_TRIES_MS = 300

test('an order waits for nobody whose account is locked, and is placed once its own is free', async () => {
  const [locked, other] = [await market.trader(), await market.trader()]
  const holder = await lockAccounts(demoOf(locked))
  const waiting = market.submit(locked)
  // In the same batch, and in later ones.
  await market.submit(other)
  await market.submit(other)
  expect(await tradesOf(locked)).toEqual([])
  await holder.query('commit')
  expect((await waiting).status).toBe('Pending')
  expect(await tradesOf(locked)).toHaveLength(1)
})

test('an order whose account is free only after two seconds is not placed', async () => {
  const user = await market.trader()
  const holder = await lockAccounts(demoOf(user))
  const order = market.submit(user, { key: 'waits' })
  order.catch(() => undefined)
  await sleep(SEVERAL_TRIES_MS)
  await market.pass(2_250)
  await holder.query('commit')
  await expect(order).rejects.toMatchObject({ code: 'order_expired', httpStatus: 422 })
  // It never will be, either.
  expect(await tradesOf(user)).toEqual([])
  expect((await market.submit(user, { key: 'waits' })).status).toBe('Pending')
})

test('the press counts, not the arrival: to the millisecond', async () => {
  const user = await market.trader()
  const press = (ageMs: number) => market.submit(user, { pressed_at: market.clock.now() - ageMs })
  await expect(press(2_001)).rejects.toMatchObject({ code: 'order_expired' })
  await expect(press(86_400_000)).rejects.toMatchObject({ code: 'order_expired' })
  await press(2_000)
  // A browser's clock that is ahead changes nothing.
  await press(-3_600_000)
  expect(await tradesOf(user)).toHaveLength(2)
})

test('a trade that is stored under the key is answered however late, and with any time of the press', async () => {
  const user = await market.trader()
  const pressed_at = market.clock.now()
  const trade = await market.submit(user, { key: 'mine', pressed_at })
  await market.pass(30_000)
  expect((await market.submit(user, { key: 'mine', pressed_at })).trade_id).toBe(trade.trade_id)
  expect((await market.submit(user, { key: 'mine', pressed_at: pressed_at + 30_000 })).trade_id).toBe(trade.trade_id)
  expect((await market.submit(user, { key: 'mine' })).trade_id).toBe(trade.trade_id)
  // Also while the account is locked.
  await lockAccounts(demoOf(user))
  expect((await market.submit(user, { key: 'mine', pressed_at })).trade_id).toBe(trade.trade_id)
  await expect(market.submit(user, { key: 'mine', amount: 11 })).rejects.toMatchObject({ code: 'idempotency_mismatch' })
})

const acceptAll = acceptSql({ limited: true, rooms: false, checkKeys: 'all', balances: false })

test.each([
  ['is checked by the database', undefined],
  ['would be rejected at once', 'XRPUSDT'],
])('a retry that %s finds the order that another node is placing right now', async (_, symbol) => {
  const user = await market.trader()
  // The other node has the locks, and hasn't committed.
  const order = orderOf(user, { key: 'twice', symbolId: 1 })
  const other = await holding(acceptAll, acceptValues([order], usd(5_000_000n)))
  // This node has no price of the symbol, so it would say that no trade was placed.
  const retry = market.submit(user, {
    key: 'twice',
    pressed_at: market.clock.now() - 10_000,
    ...(symbol ? { symbol } : {}),
  })
  const answer = retry.catch((error: { code: string }) => error.code)
  await sleep(SEVERAL_TRIES_MS)
  await other.query('commit')
  // It belongs to another body here. What matters is that it is found.
  expect(await answer).toBe('idempotency_mismatch')
})

test('an order is not rejected while another node may be placing it', async () => {
  const user = await market.trader()
  const order = orderOf(user, { key: 'hangs', symbolId: 1 })
  await holding(acceptAll, acceptValues([order], usd(5_000_000n)))
  const late = { key: 'hangs', pressed_at: market.clock.now() - 10_000 }
  const unknown = { code: 'unavailable', message: expect.stringContaining('Another request on your account') }
  await Promise.all([
    expect(market.submit(user, late)).rejects.toMatchObject(unknown),
    expect(market.submit(user, { ...late, key: 'hangs too', symbol: 'XRPUSDT' })).rejects.toMatchObject(unknown),
  ])
})

test('a statement that judges by an old snapshot says so instead of rejecting', async () => {
  const user = await market.trader()
  const [first, second] = [orderOf(user, { stake: usd(600_000n) }), orderOf(user, { stake: usd(600_000n) })]
  // It waits between its snapshot and its locks.
  const slow = acceptAll.replace(
    'from accounts a where a.id = any',
    'from (select pg_advisory_xact_lock(1)) p, accounts a where a.id = any',
  )
  expect(slow).not.toBe(acceptAll)
  const { pool } = database
  const holder = await holding('select pg_advisory_xact_lock(1)')
  const late = pool.query(slow, acceptValues([second], usd(5_000_000n)))
  const isWaiting = `select from pg_stat_activity
    where datname = current_database() and wait_event = 'advisory' and query like '%pg_advisory_xact_lock(1)) p%'`
  await expect.poll(async () => (await pool.query(isWaiting)).rowCount).toBe(1)
  await pool.query(acceptAll, acceptValues([first], usd(5_000_000n)))
  await holder.query('commit')
  expect((await late).rows).toMatchObject([{ id: demoOf(user), busy: true, accepted: 0n }])
  const again = await pool.query(acceptAll, acceptValues([second], usd(5_000_000n)))
  expect(again.rows).toMatchObject([{ id: demoOf(user), busy: false, balance: 400_000n, accepted: 0n }])
})

test("an order on a symbol whose limit is locked waits, and others don't", async () => {
  const [user, other] = [await market.trader(500_00n), await market.trader(500_00n)]
  const holder = await holding('select from symbol_open for update')
  const waiting = market.submit(user, { mode: 'real', symbol: LIMITED })
  await market.submit(other, { mode: 'real' })
  await market.submit(other, { symbol: LIMITED })
  expect(await tradesOf(user)).toEqual([])
  await holder.query('commit')
  expect((await waiting).status).toBe('Pending')
})

test("an order of a trader whose own limits are locked waits, and others don't", async () => {
  const [user, other] = [await market.trader(500_00n), await market.trader(500_00n)]
  const id = accountOf(user, 'real')
  const limited = await holding('insert into guards (account_id, stakes_day) values ($1, 10000)', [id])
  await limited.query('update accounts set guarded = true where id = $1', [id])
  await limited.query('commit')
  const holder = await holding('select from guards for update')
  const waiting = market.submit(user, { mode: 'real' })
  await market.submit(other, { mode: 'real' })
  expect(await tradesOf(user)).toEqual([])
  await holder.query('commit')
  expect((await waiting).status).toBe('Pending')
})

test("an automatic trade whose reservation is locked waits, and others don't", async () => {
  const [user, other] = [await market.trader(), await market.trader()]
  const now = market.clock.now()
  const reserved = await holding(
    `insert into automatic_orders (signal, account_id, mode, signal_at, at, day, slot, stake, status)
     values (1, $1, 'demo', $2::bigint, $2::bigint, (timestamp 'epoch' + $2::bigint * interval '1 millisecond')::date, 1, 1000, 'Reserved')`,
    [demoOf(user), now],
  )
  await reserved.query('commit')
  const holder = await holding('select from automatic_orders for update')
  const automatic = market.trading.open({
    userId: user,
    body: {
      symbol: 'BTCUSDT',
      trading_type: 'Cryptocurrency',
      trade_mode: 'Buy',
      duration: 60,
      strike_rate: '75/3',
      mode: 'demo',
    },
    stake: usd(1_000n),
    key: 'automatic:1:demo',
    fingerprint: Buffer.alloc(32),
    signal: 1n,
  })
  await market.submit(other)
  expect(await tradesOf(user)).toEqual([])
  await holder.query('commit')
  expect(await automatic).toHaveProperty('accepted')
})

test('an order for an account that does not exist fails, and does not wait', async () => {
  const user = await market.trader()
  await expect(market.submit(user + 900n, {})).rejects.toThrow(/account \d+ does not exist/)
})

test('every invariant holds after these tests', async () => {
  expect(await market.broken()).toEqual([])
})
