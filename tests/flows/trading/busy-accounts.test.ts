import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import { openConnection } from '#server/platform/database/connection.ts'
import { createLog } from '#server/platform/process/log.ts'
import { acceptSql, acceptValues } from '#server/trading/acceptance/accept.sql.ts'
import { RECOUNT_SYMBOLS_SQL } from '#server/trading/settlement/settle.sql.ts'
import { holders } from '#tests/support/trades/holders.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { orderOf } from '#tests/support/trades/orders.ts'

/** Rows that someone else has locked: a node that hangs, a console that was forgotten. Nobody else waits for them. */
const { database, market } = await marketOfFile()
const { holding, lockAccounts } = holders(database)

const LIMITED = 'BCHBTC'

const statusOf = async (trade: { trade_id: string }) => (await market.trade(trade.trade_id)).status

test('one locked account delays the settlement of nobody else', async () => {
  // Users of both workers' shares.
  const locked = [await market.trader(), await market.trader()]
  const others = [await market.trader(), await market.trader()]
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' })
  const stuck = await Promise.all(locked.map((user) => market.submit(user)))
  const first = await Promise.all(others.map((user) => market.submit(user)))
  await market.pass(20_000)
  const later = await Promise.all(others.map((user) => market.submit(user, { symbol: 'ETHUSDT' })))
  const holder = await lockAccounts(...locked.map((user) => accountOf(user, 'demo')))
  await market.pass(45_000)
  for (const trade of first) await expect.poll(() => statusOf(trade)).toBe('Draw')
  // Nor in later rounds.
  await market.pass(20_000)
  for (const trade of later) await expect.poll(() => statusOf(trade)).toBe('Draw')
  expect(await Promise.all(stuck.map(statusOf))).toEqual(['Pending', 'Pending'])
  await holder.query('commit')
  for (const trade of stuck) await expect.poll(() => statusOf(trade)).toBe('Draw')
  expect(await market.broken()).toEqual([])
})

test('a trade without an entry on a locked account is void once the account is free; others are before', async () => {
  const [locked, other] = [await market.trader(), await market.trader()]
  await market.frame({ BCHBTC: '0.005000', BTCUSDT: '60000.00' })
  const order = { symbol: LIMITED, duration: 300 }
  const [stuck, free] = [await market.submit(locked, order), await market.submit(other, order)]
  const holder = await lockAccounts(accountOf(locked, 'demo'))
  await market.pass(14_000, { symbols: ['BTCUSDT'] })
  await expect.poll(() => statusOf(free)).toBe('Void')
  expect(await statusOf(stuck)).toBe('Pending')
  await holder.query('commit')
  await expect.poll(() => statusOf(stuck)).toBe('Void')
})

test("a symbol's locked limit holds up neither the recount of others nor trades without an entry", async () => {
  const user = await market.trader()
  await market.frame({ BCHBTC: '0.005000', BTCUSDT: '60000.00' })
  const holder = await holding('select from symbol_open for update')
  // The open stakes are counted once a second.
  await sleep(2_000)
  const trade = await market.submit(user, { symbol: LIMITED, duration: 300 })
  await market.pass(14_000, { symbols: ['BTCUSDT'] })
  await expect.poll(() => statusOf(trade)).toBe('Void')
  await holder.query('commit')
})

test('the recount of open stakes includes what was accepted while it ran', async () => {
  const user = await market.trader(500_00n)
  const symbolId = market.prices.instruments.bySymbol(LIMITED)!.id
  const orders = [orderOf(user, { mode: 'real', symbolId, limited: true, stake: usd(200_00n) })]
  // A trade that has settled since the last run is still counted.
  await database.pool.query('update symbol_open set open = 5000 where symbol_id = $1', [symbolId])
  const accept = acceptSql({ limited: true, rooms: false, checkKeys: 'all', balances: false })
  const acceptance = await holding(accept, acceptValues(orders, usd(5_000_000n)))
  const counting = openConnection(database.appUrl, 'recount', createLog('silent'))
  onTestFinished(() => counting.close())
  const counted = counting.run('recount', RECOUNT_SYMBOLS_SQL, [])
  // It has passed the symbol by now, or waits for its lock.
  const { pool } = database
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select state = 'idle' or wait_event_type = 'Lock' as there from pg_stat_activity 
         where application_name = 'cleartick recount' and query like '%symbol_open%'`,
      )
      return rows[0]?.there
    })
    .toBe(true)
  await acceptance.query('commit')
  await counted
  const open = async () => {
    const { rows } = await pool.query('select open from symbol_open where symbol_id = $1', [symbolId])
    return rows[0].open
  }
  // It left the symbol to the next run.
  expect(await open()).toBe(250_00n)
  await counting.run('recount', RECOUNT_SYMBOLS_SQL, [])
  expect(await open()).toBe(200_00n)
})
