import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { accountOf, openAccounts, post } from './index.ts'
import { countedSql, dayOfSql, periodCountsOf, periodStartsSql, resultSince } from './period-counts.ts'

const ACCOUNT = accountOf(1n, 'demo')

async function openScene(): Promise<TestDatabase> {
  const database = await testDatabase()
  await inTransaction(database.db, (tx) => openAccounts(tx, 1n))
  return database
}

test.each([
  ['2026-09-21T12:00:00Z', '2026-09-21', '2026-09-21', '2026-09-01'],
  ['2026-09-27T23:59:59.999Z', '2026-09-27', '2026-09-21', '2026-09-01'],
  ['2026-10-01T00:00:00Z', '2026-10-01', '2026-09-28', '2026-10-01'],
  ['2027-01-03T08:00:00Z', '2027-01-03', '2026-12-28', '2027-01-01'],
])('%s is in the day, the week from Monday and the month that contain it', async (at, day, week, month) => {
  const { db } = await testDatabase()
  const { rows } = await sql`
    select ${sql.raw(periodStartsSql(dayOfSql(String(Date.parse(at)))))}`.execute(db)
  expect(rows).toEqual([{ day_from: day, week_from: week, month_from: month }])
})

test('stakes and losses are counted in each period, which begin again from 0, and late ones in the newer', async () => {
  const { db } = await openScene()
  const count = async (day: string, counts: { staked?: string; lost?: string }) => {
    await sql`
      update accounts a set ${sql.raw(countedSql('s', counts))}
      from (select ${sql.raw(periodStartsSql(`date '${day}'`))}) s where a.id = ${ACCOUNT}`.execute(db)
    const { countedOn, staked, lost } = await periodCountsOf(db, ACCOUNT)
    return [countedOn, ...[staked, lost].map(({ day, week, month }) => [day, week, month])]
  }
  // Monday the 28th, then Thursday the 1st of the next month in the same week.
  expect(await count('2026-09-28', { staked: '100', lost: '7' })).toEqual([
    '2026-09-28',
    [100n, 100n, 100n],
    [7n, 7n, 7n],
  ])
  expect(await count('2026-09-28', { staked: '20' })).toEqual(['2026-09-28', [120n, 120n, 120n], [7n, 7n, 7n]])
  expect(await count('2026-09-29', { lost: '-9' })).toEqual(['2026-09-29', [0n, 120n, 120n], [-9n, -2n, -2n]])
  expect(await count('2026-10-01', { staked: '1' })).toEqual(['2026-10-01', [1n, 121n, 1n], [0n, -2n, 0n]])
  expect(await count('2026-09-30', { staked: '50', lost: '5' })).toEqual(['2026-10-01', [51n, 171n, 51n], [5n, 3n, 5n]])
  expect(await count('2026-10-05', {})).toEqual(['2026-10-05', [0n, 0n, 51n], [0n, 0n, 5n]])
})

test('counts show the open stakes', async () => {
  const { db } = await openScene()
  await trade(db, 900n, 1n)
  expect((await periodCountsOf(db, ACCOUNT)).openStakes).toBe(900n)
})

const trade = (db: TestDatabase['db'], stake: bigint, causeId: bigint) =>
  inTransaction(db, (tx) =>
    post(tx, {
      userId: 1n,
      mode: 'demo',
      cause: 'trade_open',
      causeId,
      parts: [{ debit: 'balance', credit: 'escrow', amount: usd(stake) }],
    }),
  )
const settle = (db: TestDatabase['db'], causeId: bigint, parts: Parameters<typeof post>[1]['parts']) =>
  inTransaction(db, (tx) => post(tx, { userId: 1n, mode: 'demo', cause: 'trade_settle', causeId, parts }))

test('the result since a movement: trades placed, and what settled ones won less what they lost', async () => {
  const { db } = await openScene()
  const since = (seq: bigint) => resultSince(db, ACCOUNT, seq)
  const newest = async () =>
    (await sql<{ seq: bigint }>`select seq from accounts where id = ${ACCOUNT}`.execute(db)).rows[0]!.seq
  // The demo balance itself comes from the house, and is no result of trading.
  expect(await since(0n)).toEqual({ trades: 0, result: 0n })
  for (const id of [1n, 2n, 3n]) await trade(db, 1_000n, id)
  await settle(db, 1n, [{ debit: 'escrow', credit: 'house', amount: usd(1_000n) }])
  expect(await since(0n)).toEqual({ trades: 3, result: -1_000n })
  const before = await newest()
  await settle(db, 2n, [
    { debit: 'escrow', credit: 'balance', amount: usd(1_000n) },
    { debit: 'house', credit: 'balance', amount: usd(750n) },
  ])
  expect(await since(0n)).toEqual({ trades: 3, result: -250n })
  expect(await since(before)).toEqual({ trades: 0, result: 750n })
  await settle(db, 3n, [{ debit: 'escrow', credit: 'balance', amount: usd(1_000n) }])
  expect(await since(0n)).toEqual({ trades: 3, result: -250n })
  expect(await since(await newest())).toEqual({ trades: 0, result: 0n })
})
