import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { tradeResults } from './results.ts'

let database: TestDatabase
const COUNT = 450

beforeAll(async () => {
  database = await createTestDatabase()
  await storeTrades(
    database,
    ...Array.from({ length: COUNT }, (_, i) => ({
      status: i % 3 === 0 ? ('Won' as const) : ('Lost' as const),
      tradeTime: TRADED_AT + i * 1_000,
    })),
  )
})
afterAll(() => database.drop())

const results = (most?: number) => tradeResults(database.db, { userId: 1n, mode: 'demo' }, most)

test('the curve has at most 200 points, and ends with the net result', async () => {
  const { curve, net } = await results()
  expect(net).toBe(150 * 7.5 - 300 * 10)
  expect(curve).toHaveLength(150)
  expect(curve.at(-1)).toEqual([TRADED_AT + (COUNT - 1) * 1_000 + 60_000, net])
})

test('more trades than are counted: the newest ones, and since when', async () => {
  expect(await results(10)).toMatchObject({
    won: 3,
    lost: 7,
    since: new Date(TRADED_AT + (COUNT - 10) * 1_000).toISOString(),
  })
  expect(await results(COUNT + 1)).not.toHaveProperty('since')
})
