import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { type StoredTrade, storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { inSnapshot, inTransaction } from '../../platform/database/db.ts'
import { isUnsigned, settledPage, settledTradeOf, settledTrades, unsignedTrades } from './settled.ts'

let database: TestDatabase
let won: StoredTrade
let lost: StoredTrade
let voided: StoredTrade
let open: StoredTrade

beforeAll(async () => {
  database = await createTestDatabase()
  ;[won, lost, voided, open] = (await storeTrades(
    database,
    { status: 'Won', settledAt: '2026-09-21T12:03:00.000002Z', mode: 'real', side: 'Sell' },
    { status: 'Lost', settledAt: '2026-09-21T12:02:00Z', user: 2n },
    { status: 'Void', settledAt: '2026-09-21T12:01:00Z', reason: 'No price.' },
    { seconds: 300 },
  )) as [StoredTrade, StoredTrade, StoredTrade, StoredTrade]
})
afterAll(() => database.drop())

test('trades that await a checkpoint come with all that it states, at most so many at once', async () => {
  const client = await connectTo(database.superUrl)
  await client.query(
    'insert into unstated_trades (account_id, trade_id) select account_id, id from trades where id = any ($1)',
    [[won.id, lost.id]],
  )
  await client.end()
  const waiting = async (limit: number) =>
    (await inTransaction(database.db, (tx) => unsignedTrades(tx, limit))).map(({ id }) => id).sort()
  expect(await waiting(10)).toEqual([won.id, lost.id].sort())
  expect(await waiting(1)).toHaveLength(1)
  const isWaiting = (user: bigint, { id }: StoredTrade) => inSnapshot(database.db, (db) => isUnsigned(db, user, id))
  expect(await Promise.all([isWaiting(1n, won), isWaiting(1n, voided), isWaiting(2n, won)])).toEqual([
    true,
    false,
    false,
  ])
})

test('a settled trade carries all that its outcome depends on', async () => {
  expect(await inSnapshot(database.db, (db) => settledTradeOf(db, 1n, won.id))).toEqual({
    id: won.id,
    mode: 'real',
    symbol_id: 1,
    side: 'Sell',
    stake: 1_000n,
    percent: 75,
    trade_time: BigInt(TRADED_AT),
    end_time: BigInt(TRADED_AT + 60_000),
    stale_after_ms: 10_000,
    source_kind: 2,
    rule_version: 'FT-1',
    strike_rate: '75/3',
    price_list: 1,
    duration_seconds: 60,
    salt: expect.stringMatching(/^[0-9a-f]{32}$/),
    status: 'Won',
    payout: 1_750n,
    outcome_reason: 'x',
    sale_rule: 'SE-1',
    sale: null,
    entry_seq: 1n,
    settled: '2026-09-21T12:03:00.000002Z',
  })
})

test("a user's trade in either mode; never another user's", async () => {
  const of = (user: bigint, id: bigint) => inSnapshot(database.db, (db) => settledTradeOf(db, user, id))
  expect((await of(1n, voided.id))?.settled).toBe('2026-09-21T12:01:00.000000Z')
  expect((await of(1n, open.id))?.settled).toBeNull()
  expect(await of(1n, lost.id)).toBeUndefined()
  expect((await of(2n, lost.id))?.settled).toBe('2026-09-21T12:02:00.000000Z')
})

test('of some trades, those that are settled', async () => {
  const found = await inSnapshot(database.db, (db) => settledTrades(db, [won.id, open.id, lost.id]))
  expect(found.map(({ id }) => id).sort()).toEqual([won.id, lost.id].sort())
  expect(found.every(({ settled }) => settled.startsWith('2026-09-21T12:0'))).toBe(true)
})

test('pages of ids of settled trades follow each other', async () => {
  const page = (after: bigint, limit = 10) => inSnapshot(database.db, (db) => settledPage(db, { after, limit }))
  const inOrder = [won.id, lost.id, voided.id]
  expect(await page(0n)).toEqual(inOrder)
  expect(await page(0n, 2)).toEqual(inOrder.slice(0, 2))
  expect(await page(lost.id)).toEqual([voided.id])
})
