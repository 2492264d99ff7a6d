/**
 * How much one signal with 10,000 followers delays traders who click at the same time: the p99 of 20 clicking traders
 * without and with the signal, in the same run, over the whole path from the signal to accepted trades. Then how long
 * the desk's view of these followers takes.
 *
 *   node lab/bench/trading/automatic.ts [rounds] [followers]
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { usd } from '#kernel/money.ts'
import { automaticTrades } from '#server/desk/risk/automatic.ts'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { openAutomatic, sure } from '#tests/support/people/automatic.ts'
import { openMarket } from '#tests/support/trades/market.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const FOLLOWERS = Number(process.argv[3] ?? 10_000)
const CLICKING = 20
const WANTED_MS = 100
const SETTLING_ATTEMPTS = 6

const postgres = await benchPostgres()
const database = openDatabase(postgres.urls.app, { max: 10, name: 'bench', log: createLog('error') })
try {
  await traders(postgres, FOLLOWERS + CLICKING)
  const market = await openMarket({
    ...database,
    appUrl: postgres.urls.app,
    ownerUrl: postgres.urls.owner,
    superUrl: postgres.superUrl,
    drop: async () => undefined,
  })
  const automatic = openAutomatic(
    {
      ...database,
      appUrl: postgres.urls.app,
      ownerUrl: postgres.urls.owner,
      superUrl: postgres.superUrl,
      drop: async () => undefined,
    },
    market,
    [sure('trend', 'Buy')],
  )
  await sql`
    insert into automations (account_id, mode, days, from_hour, to_hour, loss_a_day, loss_in_all, trades_a_day, state)
    select u * 2 + 1, 'demo', 127, 0, 24, 100000, 100000, 14, 'Running'
    from generate_series(1, ${FOLLOWERS}) u`.execute(database.db)
  await sql`
    insert into followed_strategies (account_id, place, strategy, version, symbol_ids, duration_seconds, sides, strike_rate, stake)
    select u * 2 + 1, 1, 'trend', 1, '{}', 60, 'both', 'best', 100 from generate_series(1, ${FOLLOWERS}) u`.execute(
    database.db,
  )
  await automatic.toNextClose()

  async function click(until: () => boolean): Promise<number[]> {
    const times: number[] = []
    await Promise.all(
      Array.from({ length: CLICKING }, async (_, i) => {
        while (!until()) {
          const begun = performance.now()
          await market.trading.open({
            userId: BigInt(FOLLOWERS + 1 + i),
            body: {
              symbol: 'BTCUSDT',
              trading_type: 'Cryptocurrency',
              trade_mode: 'Buy',
              duration: 60,
              strike_rate: '75/3',
              mode: 'demo',
            },
            stake: usd(100n),
            key: randomUUID(),
            fingerprint: Buffer.alloc(32),
          })
          times.push(performance.now() - begun)
          await sleep(10)
        }
      }),
    )
    return times.sort((a, b) => a - b)
  }
  /** Waits for 10,000 trades at once: `market.settled` gives up after about ten seconds, enough for a test's few. */
  async function allSettled(): Promise<void> {
    for (let attempt = 1; attempt < SETTLING_ATTEMPTS; attempt++)
      try {
        return await market.settled()
      } catch {
        // Most are settled by now; the last attempt reports those that never are.
      }
    await market.settled()
  }
  const p99 = (times: readonly number[]) => times[Math.floor(times.length * 0.99)]!

  const delays: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    await postgres.run('analyze')
    // Follow every second close, so that the trades of the previous one have settled.
    await automatic.toNextClose()
    await automatic.frame(30_000)
    await allSettled()
    // The signals are too old to be followed: this only copies payouts.
    await automatic.follower.round()
    const ends = performance.now() + 1_500
    const without = await click(() => performance.now() > ends)
    await automatic.toNextClose()
    let isDone = false
    const begun = performance.now()
    const [withSignal, took] = await Promise.all([
      click(() => isDone),
      automatic.follower.round().then(() => {
        isDone = true
        return performance.now() - begun
      }),
    ])
    const { rows } = await sql<{ traded: bigint; skipped: bigint }>`
      select count(*) filter (where status = 'Traded') as traded, count(*) filter (where status = 'Skipped') as skipped
      from automatic_orders where signal = (select max(signal) from automatic_orders)`.execute(database.db)
    // The first round warms up.
    if (round === 0) continue
    const delay = p99(withSignal) - p99(without)
    delays.push(delay)
    console.log(
      `round ${round}: ${rows[0]!.traded} traded, ${rows[0]!.skipped} skipped in ${took.toFixed(0)} ms; clicks p99 ${p99(without).toFixed(1)} ms without, ${p99(withSignal).toFixed(1)} ms with the signal (${withSignal.length} clicks)`,
    )
  }
  console.log(
    `one signal with ${FOLLOWERS} followers delays clicks at p99 by ${median(delays).toFixed(1)} ms, at most ${WANTED_MS} wanted`,
  )
  await postgres.run('analyze')
  const views: number[] = []
  for (let i = 0; i < 11; i++) {
    const begun = performance.now()
    await automaticTrades(database.db)
    views.push(performance.now() - begun)
  }
  const { rows } = await sql<{ orders: bigint }>`select count(*) as orders from automatic_orders`.execute(database.db)
  console.log(
    `the desk's view of ${FOLLOWERS} followers with ${rows[0]!.orders} orders takes ${median(views).toFixed(1)} ms`,
  )
  await automatic.follower.stop()
  await market.close()
  await checkInvariants(postgres.superUrl, { except: ['T8'] })
} finally {
  await database.db.destroy().catch(() => undefined)
  await postgres.stop()
}
