import { expect, test } from 'vitest'
import { HOUR_MS } from '#kernel/time.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { REASON, voidedReason } from '../trade.ts'
import { voidsSince } from './voids.ts'

test('groups void trades by symbol, reason and hour, newest first', async () => {
  const database = await testDatabase()
  const at = TRADED_AT + 600_000
  const voided = { status: 'Void', tradeTime: at } as const
  await storeTrades(
    database,
    { ...voided, reason: REASON.noEntry, mode: 'real' },
    { ...voided, reason: REASON.noEntry, tradeTime: at + 1_000, seconds: 180 },
    { ...voided, reason: REASON.noEntry, tradeTime: at + 2_000 },
    { ...voided, reason: REASON.noExit, tradeTime: at + 200_000 },
    { ...voided, reason: REASON.sourceChanged, tradeTime: at + 300_000, symbol: 2 },
    { ...voided, reason: voidedReason('a secret'), tradeTime: at + 400_000 },
    { ...voided, reason: voidedReason('another'), tradeTime: at + 400_001 },
    { ...voided, reason: REASON.noEntry, tradeTime: at + HOUR_MS },
    { status: 'Won', reason: REASON.above, tradeTime: at + HOUR_MS },
  )
  const since = (ms: number, limit = 10) => voidsSince(database.db, ms, limit)
  const all = await since(at)
  expect(all).toEqual([
    { symbolId: 1, reason: 'no_entry', from: at + HOUR_MS, to: at + HOUR_MS + 60_000, real: 0, demo: 1 },
    { symbolId: 1, reason: 'operators', from: at + 400_000, to: at + 460_001, real: 0, demo: 2 },
    { symbolId: 2, reason: 'source_changed', from: at + 300_000, to: at + 360_000, real: 0, demo: 1 },
    { symbolId: 1, reason: 'no_exit', from: at + 200_000, to: at + 260_000, real: 0, demo: 1 },
    { symbolId: 1, reason: 'no_entry', from: at, to: at + 181_000, real: 1, demo: 2 },
  ])
  expect(await since(at, 2)).toEqual(all.slice(0, 2))
  // They settle half a second after their end.
  expect(await since(at + 460_501)).toHaveLength(2)
  expect(await since(at + 460_502)).toHaveLength(1)
})
