import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Mode, PLANS, type StrategyId } from '#contract/terms.ts'
import { DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import { isScheduled } from '#kernel/schedule.ts'
import { DAY_MS, MINUTE_MS } from '#kernel/time.ts'
import { zoneOffset } from '#kernel/zone.ts'
import { halt } from '#server/automatic/automation.ts'
import { readAutomation } from '#server/automatic/read-automation.ts'
import { automaticChecks } from '#server/invariants/checks/automatic.ts'
import { signalChecks } from '#server/invariants/checks/signals.ts'
import { accountOf } from '#server/ledger/index.ts'
import { openAutomatic, sure } from '#tests/support/people/automatic.ts'
import { SEED } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { verifyUser } from '#tests/support/trades/money.ts'

const MINUTES = 60
const TRADERS = 12

const { database, market } = await marketOfFile({ max: 30 })

interface Plan {
  userId: bigint
  mode: Mode
  lossADay: bigint
  lossInAll: bigint
  lossesInRow: number | null
  tradesADay: number
  profitADay: bigint | null
  profitInAll: bigint | null
  pause: { losses: number; minutes: number } | null
  schedule: Parameters<typeof isScheduled>[0]
  zone: string
}

const settings = fc.record({
  mode: fc.constantFrom<Mode>('demo', 'real'),
  strategies: fc.constantFrom<StrategyId[]>(['trend'], ['breakout'], ['trend', 'breakout'], ['breakout', 'trend']),
  stake: fc.integer({ min: 1, max: 40 }),
  stake_percent: fc.option(fc.integer({ min: 1, max: 5 })),
  strike_rate: fc.constantFrom('best' as const, '75/3' as const, '1/61' as const),
  trades_a_day: fc.integer({ min: 1, max: 14 }),
  loss_a_day: fc.integer({ min: 40, max: 120 }),
  loss_in_all: fc.integer({ min: 120, max: 400 }),
  losses_in_row: fc.option(fc.integer({ min: 3, max: 4 })),
  profit_a_day: fc.option(fc.integer({ min: 1, max: 20 })),
  profit_in_all: fc.option(fc.integer({ min: 20, max: 60 })),
  pause: fc.option(
    fc.record({ pause_losses: fc.integer({ min: 1, max: 2 }), pause_minutes: fc.integer({ min: 5, max: 9 }) }),
  ),
  time_zone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/New_York'),
  // Most of the day, or all of it.
  hours: fc.constantFrom({ from_hour: 0, to_hour: 24 }, { from_hour: 6, to_hour: 5 }, { from_hour: 18, to_hour: 12 }),
  days: fc.constantFrom<number[]>([0, 1, 2, 3, 4, 5, 6], [0, 1, 3, 5, 6], [1, 2, 3, 4, 5]),
})

/**
 * Two traders who are sure to reach a take-profit and a pause: their stakes are too small for another stop. The price
 * of the test only rises, so 'trend' (Buy) wins and 'breakout' (Sell) loses.
 */
const SURE = [
  { strategies: ['trend'] as StrategyId[], profit_a_day: null, profit_in_all: 1, pause: null },
  {
    strategies: ['breakout'] as StrategyId[],
    profit_a_day: null,
    profit_in_all: null,
    pause: { pause_losses: 1, pause_minutes: 5 },
  },
].map((stops) => ({
  ...{
    mode: 'demo' as const,
    strike_rate: 'best' as const,
    stake: 2,
    stake_percent: null,
  },
  ...{ losses_in_row: null, loss_a_day: 100, loss_in_all: 100, trades_a_day: 14, time_zone: 'UTC' as const },
  ...{ hours: { from_hour: 0, to_hour: 24 }, days: [0, 1, 2, 3, 4, 5, 6], ...stops },
}))
const NO_PAUSE = { pause_losses: null, pause_minutes: null }
const cents = (dollars: number | null) => (dollars === null ? null : BigInt(dollars) * 100n)

/**
 * Minutes of trading across two midnights, with two workers that are killed at random before an order is sent or after
 * it was accepted, and replaced by new ones, and with plans that are upgraded in between.
 */
test('limits and stops hold, and a signal makes one trade per account, whatever happens to the workers', async () => {
  const { chance, pick } = draws(SEED)
  process.stdout.write(`automatic trades are generated with SEED=${SEED}\n`)
  const automatic = openAutomatic(database, market, [sure('trend', 'Buy'), sure('breakout', 'Sell')])
  await automatic.toNextClose()

  const plans: Plan[] = []
  for (const drawn of [...fc.sample(settings, { seed: SEED, numRuns: TRADERS }), ...SURE]) {
    const userId = await market.trader(500_000n)
    const { mode, pause, hours, strategies, stake, stake_percent, strike_rate, ...common } = drawn
    const followed = strategies.map((strategy) => ({
      ...DEFAULT_FOLLOWED,
      strategy,
      stake,
      stake_percent,
      strike_rate,
    }))
    if (mode === 'real') {
      await verifyUser(database.db, userId)
      await database.db.updateTable('users').set({ trading_plan: 'Beginner-3000' }).where('id', '=', userId).execute()
    }
    await automatic.save(userId, { ...common, strategies: followed, mode, ...(pause ?? NO_PAUSE), ...hours })
    await automatic.start(userId, mode)
    plans.push({
      userId,
      mode,
      lossADay: BigInt(drawn.loss_a_day) * 100n,
      lossInAll: BigInt(drawn.loss_in_all) * 100n,
      lossesInRow: drawn.losses_in_row,
      tradesADay: drawn.trades_a_day,
      profitADay: cents(drawn.profit_a_day),
      profitInAll: cents(drawn.profit_in_all),
      pause: pause && { losses: pause.pause_losses, minutes: pause.pause_minutes },
      schedule: { days: drawn.days, fromHour: hours.from_hour, toHour: hours.to_hour },
      zone: drawn.time_zone,
    })
  }

  const killed = { before: 0, after: 0 }
  const worker = () =>
    automatic.anotherFollower({
      trading: {
        async open(command) {
          if (chance(0.1)) {
            killed.before++
            throw new Error('killed before it was sent')
          }
          const opened = await market.trading.open(command)
          if (chance(0.1)) {
            killed.after++
            throw new Error('killed after it was accepted')
          }
          return opened
        },
      },
    })
  let workers = [worker(), worker()]
  // Start so that both midnights are within the simulated minutes.
  await automatic.frame(DAY_MS - (market.clock.now() % DAY_MS) - (MINUTES / 3) * 60_000)
  let day = Math.floor(market.clock.now() / DAY_MS)
  for (let minute = 0; minute < MINUTES; minute++) {
    await automatic.toNextClose()
    for (const afterMs of [1_000, 1_200, 1_100]) {
      await Promise.all(workers.map((one) => one.round().catch(() => undefined)))
      await automatic.frame(afterMs)
      await market.settled()
    }
    if (chance(0.3)) workers = [worker(), worker()]
    if (minute % 15 === 7) {
      // Upgrade in the middle of a day.
      const plan = pick(PLANS).value
      for (const { userId, mode } of plans)
        if (mode === 'real')
          await database.db
            .updateTable('users')
            .set({ trading_plan: plan })
            .where('id', '=', userId)
            .where('trading_plan', '<', plan)
            .execute()
    }
    const today = Math.floor(market.clock.now() / DAY_MS)
    if (today !== day && minute < MINUTES - 15) {
      day = today
      // Let the tape's clock jump to shortly before the next midnight.
      if (minute < MINUTES / 2) await automatic.frame(DAY_MS - (market.clock.now() % DAY_MS) - 10 * 60_000)
    }
  }
  await automatic.anotherFollower().round()
  let [pauseCount, profits] = [0, 0]
  for (const { userId, mode, lossesInRow, profitInAll, pause } of plans) {
    const orders = await database.db
      .selectFrom('automatic_orders')
      .select(['stake', 'payout', 'stopped', 'paused_until'])
      .where('account_id', '=', accountOf(userId, mode))
      .where('payout', 'is not', null)
      .orderBy('signal')
      .execute()
    let [inRow, beforePause, result] = [0, 0, 0n]
    let hasProfit = false
    for (const { stake, payout, stopped, paused_until } of orders) {
      const [isLoss, isWin] = [payout === 0n, payout! > stake]
      result += payout! - stake
      inRow = isLoss ? inRow + 1 : isWin ? 0 : inRow
      beforePause = isLoss ? beforePause + 1 : isWin ? 0 : beforePause
      hasProfit = isWin && profitInAll !== null && result >= profitInAll
      const isLast = isLoss && inRow === lossesInRow
      expect(stopped, 'only what reaches the limit stops').toBe(isLast || hasProfit)
      const pauses = isLoss && !isLast && beforePause === pause?.losses
      expect(paused_until !== null, 'a pause begins with the loss that reaches its number').toBe(pauses)
      if (pauses) {
        beforePause = 0
        pauseCount++
      }
      if (hasProfit) profits++
    }
    const { state } = await readAutomation(automatic.deps, database.db, userId, mode)
    if (lossesInRow !== null && inRow >= lossesInRow) expect(state, 'stopped with its last loss').toBe('Stopped')
    if (hasProfit) expect(state, 'stopped with its last win').toBe('Stopped')
  }
  for (const { userId, mode } of plans) await halt(automatic.deps, { userId, mode, to: 'Off' })
  await automatic.frame(70_000)
  await automatic.frame(3_000)
  await automatic.frame(1_000)
  await market.settled()
  await automatic.anotherFollower().round()

  const signalOf = (n: bigint) =>
    database.db.selectFrom('signals').select('at').where('n', '=', n).executeTakeFirstOrThrow()
  let traded = 0
  for (const { userId, mode, lossADay, lossInAll, lossesInRow, tradesADay, ...plan } of plans) {
    const trades = await database.db
      .selectFrom('trades')
      .selectAll()
      .where('account_id', '=', accountOf(userId, mode))
      .where('signal', 'is not', null)
      .orderBy('trade_time')
      .execute()
    traded += trades.length
    expect(new Set(trades.map((trade) => trade.signal)).size).toBe(trades.length)
    const perDay = new Map<number, { count: number; lost: bigint }>()
    let lost = 0n
    let inRow = 0
    let freeFrom = 0n
    let [beforePause, pausedUntil] = [0, 0n]
    for (const trade of trades) {
      expect(trade.trade_time > freeFrom, 'one at a time').toBe(true)
      const at = Math.floor(Number(trade.trade_time) / DAY_MS)
      const today = perDay.get(at) ?? { count: 0, lost: 0n }
      today.count++
      expect(today.count).toBeLessThanOrEqual(tradesADay)
      expect(today.lost + trade.stake <= lossADay, 'the loss of a day').toBe(true)
      expect(lost + trade.stake <= lossInAll, 'the loss in all').toBe(true)
      if (lossesInRow !== null) expect(inRow, 'losses in a row').toBeLessThan(lossesInRow)
      if (plan.profitADay !== null) expect(-today.lost < plan.profitADay, 'the profit of a day').toBe(true)
      if (plan.profitInAll !== null) expect(-lost < plan.profitInAll, 'the profit in all').toBe(true)
      expect(trade.trade_time, 'not in a pause').toBeGreaterThanOrEqual(pausedUntil)
      const signalAt = Number((await signalOf(trade.signal!)).at)
      expect(isScheduled(plan.schedule, signalAt + zoneOffset(plan.zone, signalAt)), 'within its hours').toBe(true)
      const loss = trade.stake - trade.payout!
      today.lost += loss
      lost += loss
      inRow = trade.status === 'Lost' ? inRow + 1 : trade.status === 'Won' ? 0 : inRow
      beforePause = trade.status === 'Lost' ? beforePause + 1 : trade.status === 'Won' ? 0 : beforePause
      if (trade.status === 'Lost' && beforePause === plan.pause?.losses) {
        beforePause = 0
        pausedUntil = trade.end_time + BigInt(plan.pause.minutes * MINUTE_MS)
      }
      perDay.set(at, today)
      freeFrom = trade.end_time
    }
  }
  expect(traded, 'something was traded').toBeGreaterThan(TRADERS)
  expect(pauseCount, 'some paused').toBeGreaterThan(0)
  expect(profits, 'some reached their take-profit').toBeGreaterThan(0)
  expect(killed.before, 'workers died').toBeGreaterThan(0)
  expect(killed.after, 'workers died').toBeGreaterThan(0)
  const reserved = await database.db
    .selectFrom('automatic_orders')
    .selectAll()
    .where('status', '=', 'Reserved')
    .execute()
  expect(reserved, 'nothing is left over').toEqual([])

  const client = await connectTo(database.superUrl)
  for (const check of [...automaticChecks, ...signalChecks])
    expect((await client.query(check.sql)).rows, check.says).toEqual([])
  await client.end()
  expect(await market.broken()).toEqual([])
}, 300_000)
