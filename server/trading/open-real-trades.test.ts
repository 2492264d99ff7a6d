import { expect, test } from 'vitest'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { storeTrades } from '#tests/support/trades/stored-trades.ts'
import { inTransaction } from '../platform/database/db.ts'
import { openRealTrades } from './open-real-trades.ts'

/** Later than any clock, so that the tape says what time it is. */
const AT = 3_000_000_000_000

test('counts open real trades of symbols, and finds the last end within five minutes', async () => {
  const database = await testDatabase()
  const client = await connectTo(database.superUrl)
  await client.query('update tape_head set t = $1', [AT])
  await client.end()
  const open = (...symbols: number[]) => inTransaction(database.db, (tx) => openRealTrades(tx, symbols))
  expect(await open(1, 2)).toEqual({ count: 0, lastEnd: null })
  await storeTrades(
    database,
    { tradeTime: AT, symbol: 1, mode: 'real', seconds: 60 },
    { tradeTime: AT, symbol: 1, mode: 'real', seconds: 300 },
    { tradeTime: AT, symbol: 1, mode: 'real', seconds: 301 },
    { tradeTime: AT, symbol: 1, mode: 'demo', seconds: 120 },
    { tradeTime: AT, symbol: 2, mode: 'real', seconds: 900 },
    { symbol: 3, mode: 'real', seconds: 60, status: 'Won' },
  )
  expect(await open(1)).toEqual({ count: 3, lastEnd: AT + 300_000 })
  expect(await open(2)).toEqual({ count: 1, lastEnd: null })
  expect(await open(3)).toEqual({ count: 0, lastEnd: null })
  expect(await open(1, 2, 3)).toEqual({ count: 4, lastEnd: AT + 300_000 })
})
