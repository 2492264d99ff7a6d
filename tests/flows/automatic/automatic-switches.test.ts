import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { switchOff } from '#server/automatic/index.ts'
import { automaticTrades } from '#server/desk/risk/automatic.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { automaticOfFile } from '#tests/support/people/automatic.ts'

const { database, market, automatic } = await automaticOfFile()

const trend = async () => (await automaticTrades(database.db)).find((one) => one.strategy === 'trend')!

test("counts the day's trades and open stakes, and the stops that were triggered", async () => {
  const userId = await market.trader(100_000n)
  await automatic.save(userId, { losses_in_row: 1 })
  await automatic.start(userId)
  const other = await market.trader(100_000n)
  await automatic.save(other, { loss_a_day: 15, loss_in_all: 15 })
  await automatic.start(other)
  await automatic.minute(60_000)
  expect((await trend()).demo).toEqual({
    ...{ running: 2, paused: 0, trades_today: 2, stops_today: 0 },
    ...{ open_trades: 2, open_stake: 20 },
  })
  // One follower stops because of its loss, another one because it can't lose another stake.
  await automatic.settleAt(50_000)
  await automatic.follower.round()
  expect((await trend()).demo).toEqual({
    ...{ running: 1, paused: 0, trades_today: 2, stops_today: 1 },
    ...{ open_trades: 0, open_stake: 0 },
  })
  await automatic.minute(50_000)
  expect((await trend()).demo).toMatchObject({ running: 0, trades_today: 2, stops_today: 2 })
  expect((await trend()).real.trades_today).toBe(0)
})

/** Writes a signal of a strategy, and returns its number. */
async function newSignal(strategy: 'trend' | 'breakout'): Promise<bigint> {
  const { rows } = await sql<{ n: bigint }>`
    insert into signals (strategy, version, symbol_id, side, duration_seconds, candle_close, source_kind, stale_after_ms)
    select ${strategy}, 1, i.id, 'Sell', 60, greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, h.t) - 10, 2, 10000
    from instruments i, tape_head h where i.symbol = 'BTCUSDT' returning n`.execute(database.db)
  return rows[0]!.n
}

test('switching a strategy off cancels only the reservations of its followers', async () => {
  const reserved = async (strategy: 'trend' | 'breakout') => {
    const userId = await market.trader(100_000n)
    await automatic.save(userId, { strategy })
    const order = {
      signal: await newSignal(strategy),
      account_id: accountOf(userId, 'demo'),
      mode: 'demo',
      signal_at: 0n,
    } as const
    await database.db
      .insertInto('automatic_orders')
      .values({ ...order, at: 0n, day: '2026-01-02', slot: 1, stake: usd(100n), status: 'Reserved' })
      .execute()
    return async () =>
      database.db
        .selectFrom('automatic_orders')
        .select(['status', 'reason', 'slot'])
        .where('account_id', '=', order.account_id)
        .executeTakeFirst()
  }
  const mine = await reserved('trend')
  const other = await reserved('breakout')
  await inTransaction(database.db, (tx) => switchOff(tx, ['trend'], 'Under review.'))
  expect(await mine()).toEqual({ status: 'Skipped', reason: 'ended', slot: null })
  expect(await other()).toMatchObject({ status: 'Reserved' })
})
