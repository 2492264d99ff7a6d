import { afterAll, beforeAll, expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { type StoredTrade, storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { accountOf, openAccounts, post } from '../../ledger/index.ts'
import { type Database, inTransaction, openDatabase, sql, type Tx } from '../../platform/database/db.ts'
import { hasLostOn, idsWithin, remediesOf, returnStakes, stakesReturned, tradesOn } from './remedies.ts'

let database: TestDatabase
/** Past the triggers that tie remedies to rulings. */
let asOwner: Database

beforeAll(async () => {
  database = await createTestDatabase()
  asOwner = openDatabase(database.superUrl, { max: 1, name: 'remedies', log: database.db.log })
  await inTransaction(database.db, async (tx) => {
    for (const userId of [1n, 2n, 3n]) {
      await openUser(tx, userId)
      await openAccounts(tx, userId)
    }
  })
})
afterAll(async () => {
  await asOwner.close()
  await database.drop()
})

const pastTriggers = <T>(work: (tx: Tx) => Promise<T>) =>
  inTransaction(asOwner.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    return work(tx)
  })

const SEQ = 77n
/** A price at this time, which decided trades of this symbol; each test has its own symbol. */
const tickOn = (symbolId: number, at = TRADED_AT + 5_000) => ({ symbolId, seq: SEQ, at })

test('ranges of ids hold the trades that began or ended around a price, and overlap nowhere', () => {
  const at = 1_790_000_000_000
  const msOf = (id: bigint) => Number(((id + 1n) >> 22n) + 1_704_067_200_000n) - at
  const { above, below } = idsWithin(at, at)
  // From two minutes before the first such trade to ten minutes and ten seconds after the last: an exit may be old.
  expect(above.map((id, i) => [msOf(id) / 1_000, msOf(below[i]!) / 1_000])).toEqual([
    [-86_520, -85_790],
    [-7_320, -6_590],
    [-3_720, -2_990],
    [-1_920, -1_190],
    [-1_020, 550],
  ])
})

test('counts the lost trades that a price decided, and the open ones that it may decide', async () => {
  const symbol = 1
  const { at } = tickOn(symbol)
  await storeTrades(
    database,
    { symbol, status: 'Lost', entry: 77, stake: 1_000n },
    { symbol, status: 'Lost', exit: 77, stake: 200n, user: 2n },
    // Decided by other prices, or not lost, or of another symbol.
    { symbol, status: 'Lost', entry: 76, exit: 78 },
    { symbol, status: 'Won', entry: 77 },
    { symbol, status: 'Void' },
    { symbol: 9, status: 'Lost', entry: 77 },
    // Sold for more than was staked.
    { symbol, status: 'Sold', exit: 77, soldFor: 1_200n },
  )
  expect(await tradesOn(database.db, tickOn(symbol))).toEqual({ lost: 2, total: 1_200n, open: 0 })
  expect(await tradesOn(database.db, { ...tickOn(symbol), seq: 70n })).toEqual({ lost: 0, total: 0n, open: 0 })
  // A sale below the stake lost the rest of it.
  await storeTrades(database, { symbol, status: 'Sold', exit: 77, soldFor: 400n, user: 2n })
  expect(await tradesOn(database.db, tickOn(symbol))).toEqual({ lost: 3, total: 1_800n, open: 0 })
  // A trade of another hour can't have been decided by it, whatever its numbers say.
  await storeTrades(database, { symbol, status: 'Lost', entry: 77, tradeTime: at - 40 * 60_000 })
  expect(await tradesOn(database.db, tickOn(symbol))).toMatchObject({ lost: 3 })
})

test.each<[string, Partial<StoredTrade>, number]>([
  ['started on it', { entry: 77, seconds: 300 }, 1],
  ['started on another price', { entry: 76, seconds: 300 }, 0],
  ['waits for its entry since a millisecond before', { tradeTime: TRADED_AT + 4_999, seconds: 300 }, 1],
  ['waits for its entry since then', { tradeTime: TRADED_AT + 5_000, seconds: 300 }, 0],
  ['waits for its entry since ten seconds before', { tradeTime: TRADED_AT - 5_000, seconds: 300 }, 1],
  ['waits for its entry for longer', { tradeTime: TRADED_AT - 5_001, seconds: 300 }, 0],
  ['ends at that moment', { entry: 70, tradeTime: TRADED_AT - 55_000 }, 1],
  ['ended before', { entry: 70, tradeTime: TRADED_AT - 55_001 }, 0],
  ['ends when the price is as old as it may be', { entry: 70, tradeTime: TRADED_AT - 45_000 }, 1],
  ['is to be sold at the next price', { entry: 70, seconds: 300, saleOrderedAt: TRADED_AT + 4_999 }, 1],
  ['is to be sold at a later price', { entry: 70, seconds: 300, saleOrderedAt: TRADED_AT + 5_000 }, 0],
  ['ends when the price is too old', { entry: 70, tradeTime: TRADED_AT - 44_999 }, 0],
])('an open trade that %s', async (_, trade, open) => {
  const symbol = 2
  await storeTrades(database, { symbol, ...trade })
  const counted = await tradesOn(database.db, tickOn(symbol))
  await sql`delete from trades where symbol_id = ${symbol}`.execute(asOwner.db)
  expect(counted).toEqual({ lost: 0, total: 0n, open })
})

test('an open trade that another price decides', async () => {
  const symbol = 5
  const { at } = tickOn(symbol)
  const [starts, ends] = [at - 2_000, at + 2_000]
  await storeTrades(
    database,
    { symbol, tradeTime: starts, seconds: 300 },
    { symbol, entry: 70, tradeTime: ends - 60_000 },
  )
  const openWith = async (...ticks: number[]) => {
    for (const [seq, time] of ticks.entries()) {
      await sql`insert into ticks (symbol_id, source_ms, seq, price, kind, frame)
        values (${symbol}, ${time}, ${seq + 1}, 10000, 2, 1)`.execute(asOwner.db)
    }
    const { open } = await tradesOn(database.db, tickOn(symbol))
    await sql`delete from ticks where symbol_id = ${symbol}`.execute(asOwner.db)
    return open
  }
  // Prices of other moments change nothing: the first price after a trade is its entry, and the last one its exit.
  expect(await openWith(starts, at, ends + 1)).toBe(2)
  expect(await openWith(starts + 1, at, ends + 1)).toBe(1)
  expect(await openWith(starts, at, ends)).toBe(1)
  expect(await openWith(at - 1, at, at + 1)).toBe(0)
})

test('whether a price made one of some users lose', async () => {
  const symbol = 3
  await storeTrades(
    database,
    { symbol, status: 'Lost', entry: 77, user: 1n },
    { symbol, status: 'Lost', exit: 77, user: 2n, mode: 'real' },
    { symbol, status: 'Won', entry: 77, user: 3n },
    { symbol: 9, status: 'Lost', entry: 77, user: 3n },
  )
  const lost = (...users: bigint[]) => hasLostOn(database.db, tickOn(symbol), users)
  expect([await lost(1n), await lost(2n), await lost(3n), await lost(3n, 2n), await lost()]).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
  expect(await hasLostOn(database.db, { ...tickOn(symbol), seq: 76n }, [1n, 2n])).toBe(false)
  expect(await hasLostOn(database.db, tickOn(symbol, TRADED_AT - 40 * 60_000), [1n, 2n])).toBe(false)
})

test('stakes are returned once, in batches, and repay a debt first', async () => {
  const symbol = 4
  const [one, two, debtor, later] = await storeTrades(
    database,
    { symbol, status: 'Lost', entry: 77, stake: 1_000n, user: 1n },
    { symbol, status: 'Lost', entry: 77, stake: 500n, user: 1n },
    { symbol, status: 'Lost', exit: 77, stake: 2_000n, user: 2n, mode: 'real' },
    { symbol, status: 'Sold', exit: 77, stake: 500n, soldFor: 200n, user: 3n, mode: 'real' },
  )
  await inTransaction(database.db, (tx) =>
    post(tx, {
      userId: 2n,
      mode: 'real',
      cause: 'deposit_reversal',
      causeId: 1n,
      parts: [{ debit: 'owed', credit: 'external_in', amount: usd(700n) }],
    }),
  )
  const giveBack = (rulingId: bigint, limit: number) =>
    pastTriggers((tx) => returnStakes(tx, { rulingId, tick: tickOn(symbol), limit }))
  expect(await giveBack(41n, 3)).toEqual([
    { userId: 1n, mode: 'demo', trades: 2, total: 1_500n, repaid: 0n },
    { userId: 2n, mode: 'real', trades: 1, total: 2_000n, repaid: 700n },
  ])
  expect(await tradesOn(database.db, tickOn(symbol))).toEqual({ lost: 1, total: 300n, open: 0 })
  expect(await giveBack(42n, 3)).toEqual([{ userId: 3n, mode: 'real', trades: 1, total: 300n, repaid: 0n }])
  expect(await giveBack(43n, 3)).toEqual([])
  const { rows } = await sql<{ id: bigint; balance: bigint; owed: bigint }>`
    select id, balance, owed from accounts where balance > 0 or owed < 0 order by id`.execute(database.db)
  expect(rows.filter(({ id }) => id % 2n === 0n)).toEqual([
    { id: accountOf(2n, 'real'), balance: 1_300n, owed: 0n },
    { id: accountOf(3n, 'real'), balance: 300n, owed: 0n },
  ])
  const returned = await remediesOf(database.db, [one!.id, two!.id, debtor!.id, 5n])
  expect(returned).toEqual(
    new Map([
      [one!.id, 1_000n],
      [two!.id, 500n],
      [debtor!.id, 2_000n],
    ]),
  )
  expect(await remediesOf(database.db, [])).toEqual(new Map())
  expect(await remediesOf(database.db, [later!.id])).toEqual(new Map([[later!.id, 300n]]))
  // Of demo money only the number of trades counts.
  expect(await stakesReturned(database.db, [41n, 42n, 43n])).toEqual(
    new Map([
      [41n, { real: 1, demo: 2, total: 2_000n }],
      [42n, { real: 1, demo: 0, total: 300n }],
    ]),
  )
  expect(await stakesReturned(database.db, [])).toEqual(new Map())
})
