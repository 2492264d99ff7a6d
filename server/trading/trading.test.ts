import { beforeAll, expect, test } from 'vitest'
import { smaller, usd } from '#kernel/money.ts'
import { createTestDatabase } from '#tests/support/servers/database.ts'
import { marketOfFile, openMarket } from '#tests/support/trades/market.ts'
import { accountOf, balancesOf, lockAccount, post } from '../ledger/index.ts'
import { openConnection } from '../platform/database/connection.ts'
import { inTransaction } from '../platform/database/db.ts'
import { createLog } from '../platform/process/log.ts'
import { startSettlement } from './settlement/settle-trades.ts'
import { REASON } from './trade.ts'

const { database, market } = await marketOfFile()

beforeAll(() => market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00', BCHBTC: '0.005000', EURUSD: '1.10000' }))

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

test('settles while accepting on the same accounts, without deadlocks or losses', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => market.trader()))
  await market.frame({ BTCUSDT: '60000.00' })
  for (let round = 0; round < 6; round++) {
    // What these seconds make due settles while the next orders are placed. No order outlasts two of them.
    await market.pass(15_000)
    const submissions = Array.from({ length: 60 }, (_, index) =>
      market.submit(users[(index * 7 + round) % 10]!, {
        amount: 1 + (index % 5),
        trade_mode: index % 2 ? 'Buy' : 'Sell',
      }),
    )
    await market.frame({ BTCUSDT: `6000${round}.00` })
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
  const settlement = startSettlement({
    connections,
    busyConnection: openConnection(database.appUrl, 'busy', log),
    entryConnection: openConnection(database.appUrl, 'entries', log),
    tape: market.prices.tape,
    clock: market.clock,
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
    await expect.poll(async () => (await market.trade(trade.trade_id)).status).not.toBe('Pending')
    expect(begun).toBe(1)
    await expect.poll(settlement.mayHaveOpen).toBe(false)
  } finally {
    await settlement.stop()
    for (const connection of connections) await connection.close()
    await market.close()
    await database.drop()
  }
})
