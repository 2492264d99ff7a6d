import { beforeAll, expect, test } from 'vitest'
import { connectTo, createTestDatabase } from '#tests/support/servers/database.ts'
import { marketOfFile, openMarket } from '#tests/support/trades/market.ts'
import { accountOf, balancesOf, openRequestKeys } from '../../ledger/index.ts'
import { sql } from '../../platform/database/db.ts'
import { stakeLimits } from '../limits.ts'
import { resetDemo } from '../reset-demo.ts'
import { isTradeKey } from '../store.ts'

const { database, market } = await marketOfFile()

beforeAll(() => market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00', BCHBTC: '0.005000', EURUSD: '1.10000' }))

const demo = async (userId: bigint) => (await balancesOf(database.db, userId)).demoBalance

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
  // Sequences aren't rolled back: it counts the tries.
  await asOwner.query('create sequence tries; grant usage on sequence tries to public')
  await asOwner.query(`create function no_room() returns trigger language plpgsql as $$
    begin perform nextval('tries'); raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`)
  await asOwner.query('create trigger no_room before insert on trades execute function no_room()')
  await expect(market.submit(user)).rejects.toThrow("can't reach its database")
  expect((await asOwner.query('select last_value from tries')).rows).toEqual([{ last_value: 1n }])
  await asOwner.query('drop trigger no_room on trades; drop function no_room; drop sequence tries')
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

test('every invariant holds after these tests', async () => {
  await market.pass(2_000)
  expect(await market.broken()).toEqual([])
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
