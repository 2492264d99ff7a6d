import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/servers/database.ts'
import { storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { tradeBacklog } from './backlog.ts'

test('counts open trades, and those whose end has passed', async () => {
  const database = await testDatabase()
  const backlog = (now: number) => tradeBacklog(database.db, now)
  expect(await backlog(TRADED_AT)).toEqual({ open: 0, due: 0, oldestDueMs: 0 })
  await storeTrades(
    database,
    { seconds: 60 },
    { seconds: 180 },
    { tradeTime: TRADED_AT + 7, seconds: 60 },
    { status: 'Won', seconds: 30 },
  )
  expect(await backlog(TRADED_AT + 59_999)).toEqual({ open: 3, due: 0, oldestDueMs: 0 })
  expect(await backlog(TRADED_AT + 60_000)).toEqual({ open: 3, due: 1, oldestDueMs: 0 })
  expect(await backlog(TRADED_AT + 60_007)).toEqual({ open: 3, due: 2, oldestDueMs: 7 })
  expect(await backlog(TRADED_AT + 200_000)).toEqual({ open: 3, due: 3, oldestDueMs: 140_000 })
})
