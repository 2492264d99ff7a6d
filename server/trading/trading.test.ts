import { afterAll, beforeAll, expect, test } from 'vitest'
import { smaller, usd } from '#kernel/money.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { type Market, openMarket } from '#tests/support/market.ts'
import { accountOf, balancesOf, lockAccount, openRequestKeys, post } from '../ledger/index.ts'
import { openConnection } from '../platform/connection.ts'
import { inTransaction, sql } from '../platform/db.ts'
import { createLog } from '../platform/log.ts'
import { stakeLimits } from './limits.ts'
import { resetDemo } from './reset-demo.ts'
import { startSettlement } from './settle-trades.ts'
import { isTradeKey } from './store.ts'
import { REASON } from './trade.ts'

let database: TestDatabase
let market: Market

beforeAll(async () => {
  database = await createTestDatabase({ max: 20 })
  market = await openMarket(database)
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00', BCHBTC: '0.005000', EURUSD: '1.10000' })
})
afterAll(async () => {
  await market.close()
  await database.drop()
})

const demo = async (userId: bigint) => (await balancesOf(database.db, userId)).demoBalance

test('a trade and the balances that it leaves, of both modes, are pushed at once', async () => {
  const [one, other] = [await market.trader(123_45n), await market.trader(50_00n)]
  market.news.length = 0
  await Promise.all([
    market.submit(one, { amount: 10.01 }),
    market.submit(one, { amount: 1.5 }),
    market.submit(other, { amount: 20, mode: 'real' }),
  ])
  // Nothing was awaited since: these weren't read after the commit.
  const pushed = market.news.map(({ userId, news }) => [userId, news.op === 'balance' ? news.data : news.op])
  const left = { balance: 123.45, demo_balance: 9_988.49 }
  expect(pushed).toHaveLength(6)
  expect(pushed.filter(([userId]) => userId === one)).toEqual([
    [one, 'trade'],
    [one, left],
    [one, 'trade'],
    [one, left],
  ])
  expect(pushed.filter(([userId]) => userId === other)).toEqual([
    [other, 'trade'],
    [other, { balance: 30, demo_balance: 10_000 }],
  ])
  expect(await balancesOf(database.db, one)).toEqual({ balance: 123_45n, demoBalance: 9_988_49n })
})

test('the limits of the next stake follow the open stakes of the account', async () => {
  const user = await market.trader()
  const limits = (mode: 'real' | 'demo') =>
    stakeLimits(database.db, { accountId: accountOf(user, mode), mode, symbolId: 1 })
  const before = await limits('demo')
  expect(before).toMatchObject({ stakeMax: 1_000_000n, openStakeMax: 5_000_000n, openStake: 0n, symbolRoom: null })
  await market.submit(user, { amount: 10.01 })
  expect((await limits('demo')).openStake).toBe(1_001n)
  // BCHBTC has a limit for all traders together, in real mode only.
  expect(await limits('real')).toMatchObject({ openStake: 0n, symbolRoom: 20_000_000n })
})

test('a winning Buy pays back the stake plus its percentage', async () => {
  const user = await market.trader()
  const trade = await market.submit(user, { amount: 10.01 })
  expect(trade).toMatchObject({
    status: 'Pending',
    amount: 10.01,
    percent: 75,
    rule_version: 'FT-1',
    symbol: 'BTCUSDT',
  })
  expect(trade.start_price).toBeUndefined()
  expect(await demo(user)).toBe(998_999n)
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(58_000)
  await market.frame({ BTCUSDT: '60002.00' })
  await market.pass(5_000)
  await market.settled()
  expect(await market.trade(trade.trade_id)).toMatchObject({
    status: 'Won',
    entry_price: 6_000_100n,
    exit_price: 6_000_200n,
    payout: 1_752n,
    outcome_reason: REASON.above,
  })
  expect(await demo(user)).toBe(998_999n + 1_752n)
})

test('the entry is the first price after the trade, never the one on screen', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '50000.00' })
  const trade = await market.submit(user, { trade_mode: 'Sell' })
  await market.frame({ BTCUSDT: '51000.00' })
  await market.pass(70_000)
  await market.settled()
  // Price at order 50,000, entry at 51,000, exit at 51,000.
  expect(await market.trade(trade.trade_id)).toMatchObject({ status: 'Draw', entry_price: 5_100_000n, payout: 1_000n })
})

test('a Sell wins what a Buy loses on the same prices', async () => {
  const user = await market.trader()
  const buy = await market.submit(user, { symbol: 'ETHUSDT' })
  const sell = await market.submit(user, { symbol: 'ETHUSDT', trade_mode: 'Sell', strike_rate: '1/61' })
  await market.frame({ ETHUSDT: '2610.00' })
  await market.pass(30_000)
  await market.frame({ ETHUSDT: '2605.00' })
  await market.pass(40_000)
  await market.settled()
  expect(await market.trade(buy.trade_id)).toMatchObject({ status: 'Lost', payout: 0n })
  expect(await market.trade(sell.trade_id)).toMatchObject({
    status: 'Won',
    payout: 1_610n,
    outcome_reason: REASON.below,
  })
})

test('voids a trade without a price within 10 s and returns the stake', async () => {
  const user = await market.trader()
  const trade = await market.submit(user, { symbol: 'BCHBTC' })
  await market.pass(14_000, { symbols: ['BTCUSDT', 'ETHUSDT'] })
  await expect.poll(async () => (await market.trade(trade.trade_id)).status).toBe('Void')
  expect(await market.trade(trade.trade_id)).toMatchObject({
    payout: 1_000n,
    entry_seq: null,
    outcome_reason: REASON.noEntry,
  })
  expect(await demo(user)).toBe(1_000_000n)
})

test('voids a trade if its symbol is silent at the end, without delaying other symbols', async () => {
  const user = await market.trader()
  await market.frame({ ETHUSDT: '2600.00', BTCUSDT: '60000.00' })
  const silent = await market.submit(user, { symbol: 'ETHUSDT' })
  const other = await market.submit(user)
  await market.frame({ ETHUSDT: '2601.00', BTCUSDT: '60001.00' })
  await market.pass(45_000)
  await market.pass(25_000, { symbols: ['BTCUSDT'] })
  await market.settled()
  expect(await market.trade(silent.trade_id)).toMatchObject({
    status: 'Void',
    payout: 1_000n,
    outcome_reason: REASON.noExit,
  })
  expect(await market.trade(other.trade_id)).toMatchObject({ status: 'Draw' })
})

test('rejects trades on a stale symbol', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' })
  await market.pass(12_000, { symbols: ['BTCUSDT'] })
  await expect(market.submit(user, { symbol: 'ETHUSDT' })).rejects.toMatchObject({ code: 'price_unavailable' })
  expect(await demo(user)).toBe(1_000_000n)
})

test('a database clock ahead of the tape never dates a trade', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const { rows } = await sql<{ t: bigint }>`select t from tape_head`.execute(database.db)
  const setHead = (t: bigint) => sql`update tape_head set t = ${t}`.execute(database.db)
  // These tests' tape is an hour ahead of the wall clock. Let it fall behind: as far as a slow feed may, then farther.
  try {
    await setHead(BigInt(Date.now() - 10_000))
    await market.submit(user)
    await setHead(BigInt(Date.now() - 13_000))
    await expect(market.submit(user)).rejects.toThrow('while we synchronize our clocks')
  } finally {
    await setHead(rows[0]!.t)
  }
  // Settlement, which sees this trade an hour in the past, may have voided it already.
  const placed = await sql<{
    id: bigint
  }>`select id from trades where account_id in (${accountOf(user, 'real')}, ${accountOf(user, 'demo')})`.execute(
    database.db,
  )
  expect(placed.rows).toHaveLength(1)
})

test('rejects orders immediately while the database has no room, and recovers', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const asOwner = await connectTo(database.superUrl)
  await asOwner.query(`create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`)
  await asOwner.query('create trigger no_room before insert on trades execute function no_room()')
  const begun = performance.now()
  await expect(market.submit(user)).rejects.toThrow("can't reach its database")
  expect(performance.now() - begun).toBeLessThan(2_000)
  await asOwner.query('drop trigger no_room on trades; drop function no_room')
  await asOwner.end()
  expect(await demo(user)).toBe(1_000_000n)
  await market.submit(user)
  expect(await demo(user)).toBe(999_000n)
})

test('the same key and body place one trade with one response; another body is rejected', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => market.submit(user, { key: 'k1' })))
  expect(new Set(answers.map((trade) => JSON.stringify(trade))).size).toBe(1)
  expect(await demo(user)).toBe(999_000n)
  await expect(market.submit(user, { key: 'k1', amount: 11 })).rejects.toMatchObject({ code: 'idempotency_mismatch' })
  await expect(market.submit(user, { key: 'k1', mode: 'real' })).rejects.toMatchObject({ code: 'idempotency_mismatch' })
  await market.frame({ BTCUSDT: '60000.00' })
  await market.pass(70_000)
  await market.settled()
  // The stored response is the original one, although the trade is now settled and the symbol stale.
  await market.pass(20_000, { silent: true })
  expect(await market.submit(user, { key: 'k1' })).toEqual(answers[0])
})

test("a key used for a demo reset can't place a trade, and vice versa", async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const reset = (key: string) =>
    resetDemo(
      { db: database.db, keys: openRequestKeys(isTradeKey), balances: { afterCommit: () => undefined } },
      { userId: user, causeId: BigInt(Date.now()), key: { text: key, fingerprint: Buffer.alloc(32) } },
    )
  await reset('for the reset')
  await expect(market.submit(user, { key: 'for the reset' })).rejects.toMatchObject({ code: 'idempotency_mismatch' })
  expect(await demo(user)).toBe(1_000_000n)
  await market.submit(user, { key: 'for the trade' })
  await expect(reset('for the trade')).rejects.toMatchObject({ code: 'idempotency_mismatch' })
  expect(await demo(user)).toBe(999_000n)
})

test('a rejection frees its key', async () => {
  const user = await market.trader(1_000n)
  await market.frame({ BTCUSDT: '60000.00' })
  await expect(market.submit(user, { mode: 'real', amount: 10.01, key: 'again' })).rejects.toMatchObject({
    code: 'insufficient_balance',
  })
  await expect(market.submit(user, { mode: 'real', amount: 10, key: 'again' })).resolves.toMatchObject({
    status: 'Pending',
  })
})

test('50 parallel orders never overdraw the balance or get rejected while covered', async () => {
  const user = await market.trader(10_000n)
  await market.frame({ BTCUSDT: '60000.00' })
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) => market.submit(user, { mode: 'real', amount: 7, key: `p${index}` })),
  )
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(14)
  expect((await balancesOf(database.db, user)).balance).toBe(200n)
})

test('enforces the limits per trade, trader and symbol to the cent, in parallel', async () => {
  const rich = await market.trader(100_000_000n)
  await market.frame({ BTCUSDT: '60000.00', BCHBTC: '0.005000' })
  await expect(market.submit(rich, { mode: 'real', amount: 10_000.01 })).rejects.toMatchObject({
    code: 'limit_reached',
  })
  const open = await Promise.allSettled(
    Array.from({ length: 8 }, () => market.submit(rich, { mode: 'real', amount: 10_000 })),
  )
  expect(open.filter((result) => result.status === 'fulfilled')).toHaveLength(5)

  const traders = await Promise.all(Array.from({ length: 30 }, () => market.trader(1_000_000n)))
  const stakes = await Promise.allSettled(
    traders.map((user) => market.submit(user, { mode: 'real', amount: 9_000, symbol: 'BCHBTC' })),
  )
  expect(stakes.filter((result) => result.status === 'fulfilled')).toHaveLength(22)
  expect(stakes.find((result) => result.status === 'rejected')).toMatchObject({ reason: { code: 'limit_reached' } })
  // Rejected traders keep their whole balance.
  const refused = traders.filter((_, index) => stakes[index]!.status === 'rejected')
  await expect(market.submit(refused[0]!, { mode: 'real', amount: 2_000, symbol: 'BCHBTC' })).resolves.toBeDefined()
  await expect(market.submit(refused[1]!, { mode: 'real', amount: 1, symbol: 'BCHBTC' })).rejects.toMatchObject({
    code: 'limit_reached',
  })
  // Demo mode has no such limit.
  await expect(market.submit(refused[1]!, { amount: 1, symbol: 'BCHBTC' })).resolves.toBeDefined()
})

test('settles while accepting on the same accounts, without deadlocks or losses', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => market.trader()))
  await market.frame({ BTCUSDT: '60000.00' })
  for (let round = 0; round < 6; round++) {
    const submissions = Array.from({ length: 60 }, (_, index) =>
      market.submit(users[(index * 7 + round) % 10]!, {
        amount: 1 + (index % 5),
        trade_mode: index % 2 ? 'Buy' : 'Sell',
      }),
    )
    await market.frame({ BTCUSDT: `6000${round}.00` })
    await market.pass(15_000)
    expect((await Promise.allSettled(submissions)).every((result) => result.status === 'fulfilled')).toBe(true)
  }
  await market.pass(70_000)
  await market.settled()
  const pending = await database.db
    .selectFrom('trades')
    .select('id')
    .where(
      'account_id',
      'in',
      users.map((user) => accountOf(user, 'demo')),
    )
    .where('status', '=', 'Pending')
    .execute()
  expect(pending).toEqual([])
})

test('voids a trade whose price source changes', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const trade = await market.submit(user)
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(5_000)
  await database.db
    .insertInto('tape_kinds')
    .values({
      symbol_id: market.prices.instruments.bySymbol('BTCUSDT')!.id,
      source_ms: BigInt(market.clock.now() + 5),
      kind: 0,
    })
    .execute()
  await market.pass(70_000)
  await market.settled()
  expect(await market.trade(trade.trade_id)).toMatchObject({
    status: 'Void',
    payout: 1_000n,
    outcome_reason: REASON.sourceChanged,
  })
})

test('notifies the owner of entry, outcome and balance', async () => {
  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const trade = await market.submit(user)
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(65_000)
  await market.settled()
  const messages = () => market.news.filter((item) => item.userId === user).map((item) => item.news)
  await expect
    .poll(() =>
      messages().flatMap((news) =>
        news.op === 'trade' && news.data.trade_id === trade.trade_id ? [news.data.status] : [],
      ),
    )
    .toEqual(['Pending', 'Pending', 'Draw'])
  await expect
    .poll(() =>
      messages()
        .filter((news) => news.op === 'balance')
        .at(-1),
    )
    .toMatchObject({ data: { demo_balance: 10_000 } })
})

test('gains repay a debt first, to the cent, whatever settles together', async () => {
  // Debts below, equal to and above the payouts, and none; in cents.
  const debts = [0n, 1n, 999n, 1_000n, 1_750n, 1_751n, 5_749n, 5_750n, 5_751n, 90_000n]
  const users: { userId: bigint; debt: bigint; trades: string[] }[] = []
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' })
  for (const debt of debts) {
    const userId = await market.trader(10_000n)
    const trades: string[] = []
    for (const [amount, trade_mode] of [
      [10, 'Sell'],
      [10, 'Buy'],
      [30, 'Sell'],
      [40, 'Void'],
    ] as const) {
      // The other symbol goes silent.
      const order = trade_mode === 'Void' ? { symbol: 'ETHUSDT' } : { trade_mode }
      trades.push((await market.submit(userId, { amount, mode: 'real', ...order })).trade_id)
    }
    await inTransaction(database.db, async (tx) => {
      const { balance } = await lockAccount(tx, userId, 'real')
      await post(tx, {
        userId,
        mode: 'real',
        cause: 'deposit_reversal',
        causeId: 1_000n + userId,
        parts: [
          { debit: 'balance', credit: 'external_in', amount: balance },
          { debit: 'owed', credit: 'external_in', amount: usd(debt) },
        ],
      })
    })
    users.push({ userId, debt, trades })
  }
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(50_000, { symbols: ['BTCUSDT'] })
  await market.frame({ BTCUSDT: '60002.00' })
  await market.pass(20_000, { symbols: ['BTCUSDT'] })
  await market.settled()
  for (const { userId, debt, trades } of users) {
    const rows = await Promise.all(trades.map((id) => market.trade(id)))
    expect(rows.map(({ status }) => status)).toEqual(['Lost', 'Won', 'Lost', 'Void'])
    const gained = rows.reduce((sum, { payout }) => sum + (payout ?? 0n), 0n)
    expect(gained).toBe(5_750n)
    const account = await inTransaction(database.db, (tx) => lockAccount(tx, userId, 'real'))
    const repaid = smaller(usd(gained), usd(debt))
    expect(account).toEqual({ balance: gained - repaid, escrow: 0n, hold: 0n, owed: repaid - debt })
  }
  expect(await market.broken()).toEqual([])
})

test('every invariant holds after these tests', async () => {
  await market.pass(2_000)
  expect(await market.broken()).toEqual([])
})

test('a settling node rests while no trade is open, and finds one whose news was lost within 5 s', async () => {
  const database = await createTestDatabase({ max: 20 })
  const market = await openMarket(database, { settles: false })
  const log = createLog('silent')
  const connections = [1, 2].map((n) => openConnection(database.appUrl, `settlement ${n}`, log))
  let begun = 0
  const settlement = await startSettlement({
    connections,
    entryConnection: openConnection(database.appUrl, 'entries', log),
    tape: market.prices.tape,
    instruments: market.prices.instruments,
    log,
    changed: () => undefined,
    begin: () => void begun++,
  })
  try {
    await expect.poll(settlement.mayHaveOpen).toBe(false)
    await market.frame({ BTCUSDT: '60000.00' })
    const user = await market.trader()
    // Another node accepts it; this one doesn't hear of it.
    const trade = await market.submit(user)
    expect(settlement.mayHaveOpen()).toBe(false)
    await market.frame({ BTCUSDT: '60001.00' })
    await market.pass(70_000)
    await expect.poll(async () => (await market.trade(trade.trade_id)).status, { timeout: 9_000 }).not.toBe('Pending')
    expect(begun).toBe(1)
    await expect.poll(settlement.mayHaveOpen).toBe(false)
  } finally {
    await settlement.stop()
    for (const connection of connections) await connection.close()
    await market.close()
    await database.drop()
  }
})

test('rejects a trade that would end while the market is closed', async () => {
  const database = await createTestDatabase({ max: 20 })
  const owner = await connectTo(database.superUrl)
  // As if two admins had added it.
  await owner.query('set session_replication_role = replica')
  await owner.query(`update instruments set trading_type = 'Currencies' where symbol = 'EURUSD'`)
  await owner.end()
  const market = await openMarket(database, { kind: 'live' })
  try {
    // A Friday, 40 minutes before currencies close in New York.
    market.clock.set(Date.UTC(2060, 8, 24, 20, 20))
    await market.frame({ EURUSD: '1.10000', BTCUSDT: '60000.00' })
    const user = await market.trader()
    const order = { symbol: 'EURUSD', trading_type: 'Currencies' } as const
    await expect(market.submit(user, { ...order, duration: 3_600 })).rejects.toThrow(
      'The market closes before this trade would end, and reopens on Sunday at 21:00 UTC. Choose a shorter duration.',
    )
    expect(await market.submit(user, { ...order, duration: 900 })).toMatchObject({ status: 'Pending' })
    expect(await market.submit(user, { duration: 3_600 })).toMatchObject({ status: 'Pending' })
  } finally {
    await market.close()
    await database.drop()
  }
})
