import { beforeAll, expect, test } from 'vitest'
import type { Trade } from '#contract/trading/trading.ts'
import { parsePublicId } from '#kernel/id.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { type Market, marketOfFile } from '#tests/support/trades/market.ts'
import type { Page } from '../platform/http/page.ts'
import { WRITE_ENTRIES_SQL } from './acceptance/entries/entry.sql.ts'
import { shownTrades, tradeHistory, tradeOf, tradesByIds } from './store.ts'
import { toTrade } from './view.ts'

const { database, market } = await marketOfFile({ max: 10 })

beforeAll(() => market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' }))

const byTradeId = (a: unknown[], b: unknown[]) => ((a[1] as Trade).trade_id < (b[1] as Trade).trade_id ? -1 : 1)

test('a page of the history shows each trade as it is shown alone, newest first', async () => {
  const user = await market.trader()
  const open = (order: Parameters<Market['submit']>[1]) => market.submit(user, order)
  const won = await open({ amount: 10.01 })
  const lost = await open({ trade_mode: 'Sell', amount: 1_234.56 })
  const voided = await open({ symbol: 'ETHUSDT' })
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(58_000, { symbols: ['BTCUSDT'] })
  await market.frame({ BTCUSDT: '60002.07' })
  await market.pass(5_000, { symbols: ['BTCUSDT'] })
  await market.settled()
  await market.frame({ BTCUSDT: '60003.00' })
  const pending = await open({ amount: 1 })

  const listed = async (page: Page, filter = {}) =>
    (await tradeHistory(database.db, { userId: user, mode: 'demo', page, ...filter })).rows.map((row) => ({
      id: row.id,
      trade: toTrade(market.prices.instruments, row),
    }))
  const all = await listed({ after: undefined, limit: 50 })
  expect(all.map(({ trade }) => [trade.trade_id, trade.status])).toEqual([
    [pending.trade_id, 'Pending'],
    [voided.trade_id, 'Void'],
    [lost.trade_id, 'Lost'],
    [won.trade_id, 'Won'],
  ])
  for (const { id, trade } of all) {
    const alone = await tradeOf(database.db, user, id)
    expect(trade).toEqual(toTrade(market.prices.instruments, alone!))
  }
  const ids = all.map(({ id }) => id)
  const shown = await shownTrades(database.db, ids, [user])
  expect(shown.map(({ userId, row }) => [userId, toTrade(market.prices.instruments, row)]).sort(byTradeId)).toEqual(
    all.map(({ trade }) => [user, trade]).sort(byTradeId),
  )
  expect(await shownTrades(database.db, ids, [user + 1n])).toEqual([])
  const byIds = await tradesByIds(database.db, [ids[0]!, ids[2]!, 1n])
  expect(byIds.map(({ id }) => id).sort()).toEqual([ids[0], ids[2]].sort())
  // One more than the page holds shows that others follow.
  expect(await listed({ after: undefined, limit: 1 })).toEqual(all.slice(0, 2))
  expect(await listed({ after: all[1]!.id, limit: 50 })).toEqual(all.slice(2))
  expect(await listed({ after: undefined, limit: 50 }, { status: 'Won' })).toEqual(all.slice(3))
  expect(await listed({ after: undefined, limit: 50 }, { side: 'Sell' })).toEqual([all[2]])
  expect(await listed({ after: undefined, limit: 50 }, { symbolId: -1 })).toEqual([])
  expect(await listed({ after: undefined, limit: 50 }, { mode: 'real' })).toEqual([])
})

test('an open trade shows the entry that the tape has; it is written after a while, and then it is the same', async () => {
  const user = await market.trader()
  const { order_hash: _, ...trade } = await market.submit(user)
  const id = parsePublicId(trade.trade_id)!
  const everywhere = async () => [
    ...(await tradeHistory(database.db, { userId: user, mode: 'demo', page: { after: undefined, limit: 5 } })).rows,
    ...(await shownTrades(database.db, [id], [user])).map(({ row }) => row),
    await tradeOf(database.db, user, id),
    ...(await tradesByIds(database.db, [id])),
  ]
  const shown = async () => (await everywhere()).map((row) => toTrade(market.prices.instruments, row!))
  const write = async (until: number, limit = 100) =>
    (await database.pool.query(WRITE_ENTRIES_SQL, [until, limit])).rows.filter((row) => row.id === id).length
  const tradeTime = market.clock.now()
  expect(await shown()).toEqual(Array(4).fill(trade))
  expect(await write(tradeTime)).toBe(0)

  await market.frame({ BTCUSDT: '60000.50' })
  await market.frame({ BTCUSDT: '60000.75' })
  const entry = { start_price: 60_000.5, start_time: new Date(tradeTime + 250).toISOString() }
  expect(await shown()).toEqual(Array(4).fill({ ...trade, ...entry }))
  expect((await market.trade(trade.trade_id)).entry_seq).toBeNull()

  expect(await write(tradeTime - 1)).toBe(0)
  expect(await write(tradeTime, 0)).toBe(0)
  expect(await write(tradeTime)).toBe(1)
  expect(await write(tradeTime)).toBe(0)
  const { entry_price, entry_time } = await market.trade(trade.trade_id)
  expect([entry_price, entry_time]).toEqual([6_000_050n, BigInt(tradeTime + 250)])
  expect(await shown()).toEqual(Array(4).fill({ ...trade, ...entry }))
})

test('numbers at the limits of what the database accepts are exact', async () => {
  const user = await market.trader()
  const connection = await connectTo(database.superUrl)
  // The largest stake of a float and the finest settlement time; a signal's number may be larger than any float.
  await connection.query('set session_replication_role = replica')
  await connection.query(
    `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time,
       status, entry_seq, entry_price, entry_time, exit_seq, exit_price, exit_time, settled_at, payout, outcome_reason, signal)
     values (9223372036854775807, $1, 'demo', 1, 2, 10000, 'Buy', '75/3', 75, 7036874417766399, 60, 1790000000000, 1790000060000,
       'Draw', 1, 2251799813685247, 1790000000001, 2, 2251799813685247, 1790000060000, '2026-09-21T14:27:40.123999Z', 7036874417766399, 'x', 9007199254740993)`,
    [user * 2n + 1n],
  )
  await connection.end()
  const page = { after: undefined, limit: 1 }
  const [row] = (await tradeHistory(database.db, { userId: user, mode: 'demo', page })).rows
  const alone = await tradeOf(database.db, user, 9223372036854775807n)
  const trade = toTrade(market.prices.instruments, row!)
  expect(trade).toEqual(toTrade(market.prices.instruments, alone!))
  expect(trade).toMatchObject({
    trade_id: '7ZZZZZZZZZZZZ',
    amount: 70_368_744_177_663.99,
    settled_at: '2026-09-21T14:27:40.123Z',
    signal: '9007199254740993',
  })
})
