import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hitRate, tallyOf } from '#contract/prices/measured.ts'
import { STRATEGY_IDS } from '#contract/terms.ts'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, startOf } from '#kernel/time.ts'
import { backtestOf, type OneBacktest } from '#tests/support/automatic-settings.ts'
import { property } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { type Candle, placeOf } from '../strategies/index.ts'
import { backtest } from './backtest.ts'
import { candleAt, closedCandles, type Market } from './candles.ts'
import { outcomeOf, signalsOf } from './signals.ts'

const dollars = (amount: number): Usd => usd(BigInt(Math.round(amount * 100)))
/** A Monday. */
const START = Date.parse('2026-11-16')

const SETTINGS: OneBacktest = {
  strategy: 'trend',
  symbols: ['BTCUSDT'],
  durationSeconds: 60,
  sides: 'both',
  strikeRate: '75/3',
  stake: dollars(10),
  startingBalance: dollars(1_000),
}

/** Minutes that close at these prices; each opens at the close before it. A price of 0 leaves the minute out. */
const minutesOf = (closes: readonly number[], from = START): Candle[] => {
  let open = closes[0]!
  return closes.flatMap((close, at) => {
    if (close === 0) return []
    const candle = { time: from + at * MINUTE_MS, open, high: Math.max(open, close), low: Math.min(open, close), close }
    open = close
    return [candle]
  })
}

const market = (closes: readonly number[], symbol = 'BTCUSDT', symbolId = 1): Market => ({
  symbol,
  symbolId,
  scale: 2,
  tradingType: 'Cryptocurrency',
  minutes: minutesOf(closes),
})
const flat = (count: number, price = 1_000) => Array<number>(count).fill(price)
/** A cross of the averages in the twelfth minute, then the minute of the trade. */
const crossAnd = (outcome: number) => [...flat(11), 1_010, outcome]

function run(closes: readonly number[] | readonly Market[], more: Partial<OneBacktest> = {}, minutes?: number) {
  const markets = typeof closes[0] === 'number' ? [market(closes as number[])] : (closes as Market[])
  const length = minutes ?? (typeof closes[0] === 'number' ? closes.length : 24 * 60)
  return backtest(backtestOf({ ...SETTINGS, ...more }), markets, { from: START, to: START + length * MINUTE_MS })
}

/** A random walk of this many minutes. */
function walk(count: number, seed = 1, gaps = 0): number[] {
  const { below, chance } = draws(seed)
  let price = 100_000
  return Array.from({ length: count }, () => {
    price += below(201) - 100
    return chance(gaps) ? 0 : price
  })
}

describe('closedCandles', () => {
  test('merges the minutes of a period', () => {
    const minutes = minutesOf([10, 12, 8, 11, 9, 20])
    expect(closedCandles(minutes, 5 * MINUTE_MS, START + 6 * MINUTE_MS)).toEqual([
      { time: START, open: 10, high: 12, low: 8, close: 9 },
    ])
  })

  test('has no candle for a period without minutes, and one for a period with some', () => {
    const minutes = minutesOf([10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0])
    const candles = closedCandles(minutes, 5 * MINUTE_MS, START + DAY_MS)
    expect(candles.map(({ time }) => (time - START) / MINUTE_MS)).toEqual([0, 10])
  })

  test('counts periods from the epoch, and leaves out the one that the minutes begin in', () => {
    const candles = closedCandles(minutesOf(flat(15), START + 13 * MINUTE_MS), 5 * MINUTE_MS, START + DAY_MS)
    expect(candles.map(({ time }) => (time - START) / MINUTE_MS)).toEqual([15, 20, 25])
    const whole = closedCandles(minutesOf(flat(5), START + 10 * MINUTE_MS), 5 * MINUTE_MS, START + DAY_MS)
    expect(whole).toHaveLength(1)
  })
})

property('finds every candle by its time, and no other', 300, [fc.uniqueArray(fc.nat(200))], (starts) => {
  const candles = starts.toSorted((a, b) => a - b).map((time) => ({ time, open: 1, high: 1, low: 1, close: 1 }))
  for (let time = -1; time < 202; time++)
    expect(candleAt(candles, time)?.time).toBe(starts.includes(time) ? time : undefined)
})

describe('a trade', () => {
  test('enters at the open of the next minute and exits at the close of the minute that ends it', () => {
    const { trades } = run(crossAnd(1_020))
    expect(trades).toEqual([
      {
        followed: expect.objectContaining({ strategy: 'trend' }),
        time: START + 12 * MINUTE_MS,
        symbol: 'BTCUSDT',
        side: 'Buy',
        strikeRate: '75/3',
        percent: 75,
        isOffered: true,
        endTime: START + 13 * MINUTE_MS,
        entry: 1_010,
        exit: 1_020,
        status: 'Won',
        stake: dollars(10),
        payout: dollars(17.5),
        balance: dollars(1_007.5),
      },
    ])
  })

  test.each([
    [1_020, 'Won', 1_007.5],
    [1_005, 'Lost', 990],
    [1_010, 'Draw', 1_000],
    [0, 'Void', 1_000],
  ])('that ends at %d is %s and leaves $%d', (outcome, status, balance) => {
    const { trades } = run(crossAnd(outcome))
    expect(trades).toMatchObject([{ status, balance: dollars(balance) }])
  })

  test('enters and exits a second later where the tape has these prices, as a real trade does', () => {
    // The price jumps by 20 right after the close; a real trade misses it.
    const closes = [...crossAnd(1_030), 1_030]
    const placed = (entry: number | undefined, exit: number | undefined) => {
      const minutes = minutesOf(closes).map((minute, at) => ({
        ...minute,
        ...(entry === undefined ? {} : { entry: at === 12 ? entry : 1, exit: at === 13 ? exit! : 1 }),
      }))
      return run([{ ...market(closes), minutes }], {}, closes.length).trades[0]!
    }
    expect(placed(undefined, undefined)).toMatchObject({ entry: 1_010, exit: 1_030, status: 'Won' })
    expect(placed(1_030, 1_029)).toMatchObject({ entry: 1_030, exit: 1_029, status: 'Lost' })
    expect(placed(1_029, 0), 'no price since the last close').toMatchObject({ exit: 1_030, status: 'Won' })
    expect(placed(0, 1_029), 'no price within ten seconds').toMatchObject({ entry: undefined, status: 'Void' })
  })

  test('of a longer duration is void if its last minute has no ticks', () => {
    const closes = [...flat(55), ...flat(5, 1_010), 1_010, 1_011, 1_012, 1_013]
    expect(run([...closes, 1_014], { durationSeconds: 300 }).trades).toMatchObject([{ status: 'Won', exit: 1_014 }])
    const { trades } = run([...closes, 0], { durationSeconds: 300 })
    expect(trades).toMatchObject([{ status: 'Void', exit: undefined }])
  })

  test('that would end after the range is not placed', () => {
    expect(run(crossAnd(1_020), {}, 12).trades).toEqual([])
  })

  test('comes only with a just-closed candle, and looks at the newest that exist', () => {
    // A minute without ticks: no decision at its end, and the window reaches a minute further back.
    const { trades } = run([1_000, ...flat(5), 0, ...flat(5), 1_010, 1_020])
    expect(trades).toMatchObject([{ time: START + 13 * MINUTE_MS, side: 'Buy' }])
    expect(run([...flat(11), 0, 1_010, 1_020]).trades).toMatchObject([{ time: START + 13 * MINUTE_MS }])
  })

  test('needs as many candles as its strategy, which may lie before the range', () => {
    const closes = crossAnd(1_020)
    expect(run(closes.slice(1)).trades).toEqual([])
    const range = { from: START + 12 * MINUTE_MS, to: START + 13 * MINUTE_MS }
    expect(backtest(backtestOf(SETTINGS), [market(closes)], range).trades).toHaveLength(1)
    expect(backtest(backtestOf(SETTINGS), [market(closes)], { ...range, from: range.from + 1 }).trades).toEqual([])
  })

  test('pays the percent of its strike rate; the best one for either side if asked', () => {
    const fall = [...flat(11), 990, 980]
    expect(run(fall).trades).toMatchObject([{ side: 'Sell', strikeRate: '75/3', payout: dollars(10.3) }])
    expect(run(fall, { strikeRate: 'best' }).trades).toMatchObject([{ strikeRate: '1/61', payout: dollars(16.1) }])
    expect(run(crossAnd(1_020), { strikeRate: 'best' }).trades).toMatchObject([{ strikeRate: '75/3', percent: 75 }])
  })

  test('pays what the current price lists offer for its symbol, duration and hour', () => {
    const priceLists: PriceListDocument = {
      lists: [
        { name: 'Standard', pairs: ['75/3', '1/61'] },
        { name: 'Less', pairs: ['12/5', '11/13'] },
      ],
      rules: [
        { symbols: ['BTCUSDT'], group: null, durations: [], days: [1], from_hour: 0, to_hour: 1, list: 2 },
        { symbols: [], group: 'Currencies', durations: [], days: [...EVERY_DAY], from_hour: 0, to_hour: 24, list: 2 },
      ],
    }
    const less = { strikeRate: 'best', priceLists } as const
    const hourLater = [...flat(60), ...crossAnd(1_020)]
    expect(run(crossAnd(1_020), less).trades).toMatchObject([{ strikeRate: '12/5', percent: 12 }])
    expect(run(hourLater, less).trades).toMatchObject([{ strikeRate: '75/3', percent: 75 }])
    const none = run(flat(20), less)
    expect(none.measured.breakEven, 'by the list that pays least').toBeCloseTo((100 * 100) / (100 + 12.5), 5)
    const { trades, skipped } = run(crossAnd(1_020), { ...less, strikeRate: '75/3' })
    expect(trades).toEqual([])
    expect(skipped).toMatchObject({ odds: 1 })
    expect(run(hourLater, { ...less, strikeRate: '75/3' }).skipped).toMatchObject({ odds: 0 })
  })

  test('can stake a share of the balance, up to a cap', () => {
    const share = { stake: dollars(100), stakePercent: 5 }
    expect(run(crossAnd(1_020), share).trades).toMatchObject([{ stake: dollars(50) }])
    expect(run(crossAnd(1_020), { ...share, stake: dollars(20) }).trades).toMatchObject([{ stake: dollars(20) }])
    const odd = run(crossAnd(1_020), { ...share, startingBalance: dollars(1_000.19) })
    expect(odd.trades, 'rounds down').toMatchObject([{ stake: dollars(50) }])
  })
})

describe('a signal is skipped', () => {
  test('on the other side', () => {
    const { trades, skipped, allSignals } = run(crossAnd(1_020), { sides: 'Sell' })
    expect(trades).toEqual([])
    expect(skipped).toMatchObject({ side: 1 })
    expect(allSignals.outcomes).toEqual({ won: 0, lost: 0, draws: 0, voids: 0 })
  })

  test('outside of its days and hours, in UTC', () => {
    const closes = crossAnd(1_020)
    expect(run(closes, { days: [1] }).trades).toHaveLength(1)
    expect(run(closes, { days: [0, 2, 3, 4, 5, 6] }).skipped).toMatchObject({ schedule: 1 })
    expect(run(closes, { fromHour: 0, toHour: 1 }).trades).toHaveLength(1)
    expect(run(closes, { fromHour: 1, toHour: 24 }).skipped).toMatchObject({ schedule: 1 })
  })

  test('outside of its days and hours in its time zone, also over midnight', () => {
    // 00:12 UTC on Monday is 05:57 in Kathmandu, and 19:12 on Sunday in New York.
    const closes = crossAnd(1_020)
    const kathmandu = { timeZone: 'Asia/Kathmandu' }
    expect(run(closes, { ...kathmandu, fromHour: 5, toHour: 6 }).trades).toHaveLength(1)
    expect(run(closes, { ...kathmandu, fromHour: 0, toHour: 5 }).skipped).toMatchObject({ schedule: 1 })
    expect(run(closes, { timeZone: 'America/New_York', days: [0] }).trades).toHaveLength(1)
    expect(run(closes, { timeZone: 'America/New_York', days: [1] }).skipped).toMatchObject({ schedule: 1 })
    const night = { ...kathmandu, fromHour: 22, toHour: 6 }
    expect(run(closes, { ...night, days: [0] }).trades, 'began on Sunday').toHaveLength(1)
    expect(run(closes, { ...night, days: [1] }).skipped).toMatchObject({ schedule: 1 })
    expect(run(closes, kathmandu).hours[5], 'the hour there').toEqual({ won: 1, lost: 0 })
  })

  test('while a trade is open, of any symbol', () => {
    const both = [market(crossAnd(1_020), 'ETHUSDT', 2), market(crossAnd(1_020), 'BTCUSDT', 1)]
    const { trades, skipped } = run(both, { symbols: ['BTCUSDT', 'ETHUSDT'] })
    expect(trades).toHaveLength(1)
    expect(skipped).toMatchObject({ open: 1 })
  })

  test('so that no symbol comes first every time, as among recorded signals', () => {
    const closes = Array.from({ length: 40 }, () => [...flat(12), 1_010, 1_000]).flat()
    const both = [market(closes, 'ETHUSDT', 2), market(closes, 'BTCUSDT', 1)]
    const { trades } = run(both, { symbols: ['BTCUSDT', 'ETHUSDT'], sides: 'Buy' })
    const places = (time: number) =>
      [1, 2].map((symbolId) => placeOf({ strategy: 'trend', symbolId, durationSeconds: 60, candleClose: time }))
    for (const { time, symbol } of trades) {
      const [btc, eth] = places(time)
      expect(symbol).toBe(btc! < eth! ? 'BTCUSDT' : 'ETHUSDT')
    }
    expect(new Set(trades.map(({ symbol }) => symbol)).size).toBe(2)
  })

  test('of several strategies, so that at the same moment the first one is traded', () => {
    const [tossed, other] = (['coin-toss', 'reversion'] as const).map(
      (strategy) => backtestOf({ ...SETTINGS, strategy }).strategies[0]!,
    )
    const strategies = [tossed!, other!]
    const markets = [market(walk(24 * 60))]
    const range = { from: START, to: START + DAY_MS }
    const many = { ...backtestOf(SETTINGS), startingBalance: dollars(100_000) }
    const timesOf = (one: (typeof strategies)[number]) =>
      new Set(signalsOf({ ...many, strategies: [one] }, markets, range).map(({ time }) => time))
    const otherTimes = timesOf(other!)
    const at = new Set([...timesOf(tossed!)].filter((time) => otherTimes.has(time)))
    for (const order of [strategies, strategies.toReversed()]) {
      const { trades } = backtest({ ...many, strategies: order }, markets, range)
      const contested = trades.filter(({ time }) => at.has(time))
      expect(contested.length).toBeGreaterThan(3)
      for (const { followed } of contested) expect(followed.strategy).toBe(order[0]!.strategy)
      expect(new Set(trades.map(({ followed }) => followed.strategy)).size, 'both are traded').toBe(2)
    }
  })

  test('but not at the moment when a trade ends', () => {
    const { trades } = run([...flat(11), 1_010, 900, 880])
    expect(trades).toMatchObject([
      { side: 'Buy', endTime: START + 13 * MINUTE_MS },
      { side: 'Sell', time: START + 13 * MINUTE_MS },
    ])
  })

  test('after as many trades as the day may have; the next day starts again', () => {
    const closes = walk(2 * 24 * 60)
    const { trades } = run(closes, { tradesADay: 5 })
    expect(trades.map(({ time }) => Math.floor((time - START) / DAY_MS))).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
  })

  test('when the balance is too small', () => {
    expect(run(crossAnd(1_020), { startingBalance: dollars(9.99) }).skipped).toMatchObject({ balance: 1 })
    expect(run(crossAnd(1_020), { stakePercent: 1, startingBalance: dollars(99) }).skipped).toMatchObject({
      balance: 1,
    })
  })
})

describe('stops', () => {
  /** A day on which every trade is lost: each cross reverts in the next minute. */
  const losing = (count: number) => Array.from({ length: count }, () => [...flat(12), 1_010, 1_000]).flat()

  test('end the day before a loss could exceed its limit; the next day trades again', () => {
    const day = [...losing(10), ...flat(24 * 60 - 140)]
    const { trades, skipped, stopped } = run([...day, ...day], { sides: 'Buy', lossADay: dollars(25) })
    expect(trades.map(({ time }) => Math.floor((time - START) / DAY_MS))).toEqual([0, 0, 1, 1])
    expect(skipped).toMatchObject({ stop: 16 })
    expect(stopped).toBeUndefined()
  })

  test('end trading before the loss could exceed its limit', () => {
    const { trades, stopped } = run(losing(10), { sides: 'Buy', lossInAll: dollars(30) })
    expect(trades).toHaveLength(3)
    expect(trades.at(-1)!.balance).toBe(dollars(970))
    expect(stopped).toEqual({ stop: 'loss_in_all', time: START + (3 * 14 + 13) * MINUTE_MS })
  })

  test('end trading after so many losses in a row', () => {
    const { trades, stopped } = run(losing(10), { sides: 'Buy', lossesInRow: 4 })
    expect(trades).toHaveLength(4)
    expect(stopped).toEqual({ stop: 'losses_in_row', time: trades.at(-1)!.endTime })
  })

  /** A day on which every Buy is won. */
  const winning = (count: number) => Array.from({ length: count }, () => [...flat(12), 1_010, 1_020]).flat()

  test('end the day once its profit is reached; the next day trades again', () => {
    const day = [...winning(10), ...flat(24 * 60 - 140)]
    const { trades, skipped, stopped } = run([...day, ...day], { sides: 'Buy', profitADay: dollars(15) })
    expect(trades.map(({ time }) => Math.floor((time - START) / DAY_MS))).toEqual([0, 0, 1, 1])
    expect(skipped).toMatchObject({ profit: 16 })
    expect(stopped).toBeUndefined()
  })

  test('end trading with the trade that reaches the profit in all', () => {
    const { trades, stopped } = run(winning(10), { sides: 'Buy', profitInAll: dollars(20) })
    expect(trades).toHaveLength(3)
    expect(stopped).toEqual({ stop: 'profit_in_all', time: trades.at(-1)!.endTime })
  })

  test('pause after losses until a time, and count from zero then; the stop counts on', () => {
    // A loss every 14 minutes: the pause of 20 minutes skips one signal.
    const pause = { losses: 2, minutes: 20 }
    const { trades, skipped } = run(losing(10), { sides: 'Buy', pause })
    expect(trades.map(({ time }) => Math.floor((time - START) / (14 * MINUTE_MS)))).toEqual([0, 1, 3, 4, 6, 7, 9])
    expect(skipped).toMatchObject({ pause: 3 })
    const { trades: stopped, stopped: stop } = run(losing(10), { sides: 'Buy', pause, lossesInRow: 3 })
    expect(stopped).toHaveLength(3)
    expect(stop).toMatchObject({ stop: 'losses_in_row' })
  })

  property(
    'hold: nothing is traded above a take-profit, or in a pause',
    60,
    [fc.integer(), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 90 })],
    (seed, profit, losses, minutes) => {
      const stops = { profitADay: dollars(profit), profitInAll: dollars(2 * profit), pause: { losses, minutes } }
      const { trades } = run(walk(2 * 24 * 60, seed), { strategy: 'coin-toss', ...stops })
      let row = 0
      let pausedUntil = 0
      for (const { time, endTime, status, stake, payout, balance } of trades) {
        expect(time).toBeGreaterThanOrEqual(pausedUntil)
        expect(balance - payout + stake).toBeLessThan(dollars(1_000 + 2 * profit))
        row = status === 'Lost' ? row + 1 : status === 'Won' ? 0 : row
        if (row === losses) {
          row = 0
          pausedUntil = endTime + minutes * MINUTE_MS
        }
      }
      for (const day of Map.groupBy(trades, ({ time }) => Math.floor(time / DAY_MS)).values()) {
        const before = day[0]!.balance - day[0]!.payout + day[0]!.stake
        for (const { balance, payout, stake } of day)
          expect(balance - payout + stake - before).toBeLessThan(dollars(profit))
      }
    },
  )

  property(
    'hold: no loss of a day, of all or in a row exceeds its limit',
    60,
    [fc.integer(), fc.integer({ min: 5, max: 90 }), fc.integer({ min: 5, max: 200 }), fc.integer({ min: 1, max: 6 })],
    (seed, lossADay, lossInAll, lossesInRow) => {
      const stops = { lossADay: dollars(lossADay), lossInAll: dollars(lossInAll), lossesInRow }
      const stake = { stake: dollars(100), stakePercent: 2 }
      const { trades } = run(walk(2 * 24 * 60, seed), { strategy: 'coin-toss', ...stake, ...stops })
      let row = 0
      const days = Map.groupBy(trades, ({ time }) => Math.floor(time / DAY_MS))
      for (const { status, balance } of trades) {
        row = status === 'Lost' ? row + 1 : status === 'Won' ? 0 : row
        expect(row).toBeLessThanOrEqual(lossesInRow)
        expect(balance).toBeGreaterThanOrEqual(dollars(1_000 - lossInAll))
      }
      for (const day of days.values()) {
        const before = day[0]!.balance - day[0]!.payout + day[0]!.stake
        for (const { balance } of day) expect(before - balance).toBeLessThanOrEqual(dollars(lossADay))
      }
    },
  )
})

describe('the figures', () => {
  const closes = walk(3 * 24 * 60, 5, 0.02)
  const result = run(closes, { strategy: 'coin-toss', strikeRate: 'best' })

  test('add up: every signal is traded or skipped, and the balance follows from the trades', () => {
    const { trades, skipped, measured, allSignals, equity } = result
    const total = (counts: object) => Object.values(counts).reduce((sum: number, n: number) => sum + n, 0)
    expect(trades.length).toBeGreaterThan(100)
    expect(trades.length + total(skipped)).toBe(total(allSignals.outcomes))
    expect(total(measured.outcomes)).toBe(trades.length)
    let balance = dollars(1_000)
    for (const trade of trades) {
      balance = usd(balance - trade.stake + trade.payout)
      expect(trade.balance).toBe(balance)
    }
    expect(equity.map(([, value]) => value)).toEqual([dollars(1_000), ...trades.map((trade) => trade.balance)])
    const hours = result.hours.reduce((sum, { won, lost }) => sum + won + lost, 0)
    expect(hours).toBe(measured.outcomes.won + measured.outcomes.lost)
  })

  test('judge by the mean profit of the decided trades, as the screens do', () => {
    const decided = result.trades.filter(({ status }) => status === 'Won' || status === 'Lost')
    expect(decided.length).toBeLessThan(result.trades.length)
    const mean = decided.reduce((sum, { percent }) => sum + percent, 0) / decided.length
    expect(mean).toBeGreaterThan(61)
    expect(mean).toBeLessThan(75)
    expect(result.measured.breakEven).toBeCloseTo(10_000 / (100 + mean), 10)
    expect(result.measured.sentence).toMatch(/^Measured \d\d\.\d% .* over \d+ trades; you need 5\d\.\d% to break even$/)
    expect(result.allSignals.sentence).toMatch(/ signals; you need /)
  })

  test('count all signals by close, and by hour where trades of several durations overlap', () => {
    const [minute, quarter] = ([60, 900] as const).map(
      (durationSeconds) => backtestOf({ ...SETTINGS, strategy: 'coin-toss', durationSeconds }).strategies[0]!,
    )
    const markets = [market(walk(24 * 60, 3))]
    const range = { from: START, to: START + DAY_MS }
    const rateOf = (strategies: readonly (typeof minute)[], spanMs: number) => {
      const settings = { ...backtestOf(SETTINGS), strategies: strategies.map((one) => one!) }
      const groups = Map.groupBy(signalsOf(settings, markets, range), ({ time }) => startOf(time, spanMs))
      const tally = tallyOf(
        [...groups.values()].map((signals) => {
          const statuses = signals.map((signal) => outcomeOf(signal, dollars(1)).status)
          const count = (status: string) => statuses.filter((one) => one === status).length
          return { won: count('Won'), lost: count('Lost') }
        }),
      )
      return { counted: backtest(settings, markets, range).allSignals.hitRate, expected: hitRate(tally) }
    }
    const both = rateOf([minute, quarter], HOUR_MS)
    expect(both.counted).toEqual(both.expected)
    expect(both.counted).not.toEqual(rateOf([minute, quarter], MINUTE_MS).expected)
    const one = rateOf([minute], MINUTE_MS)
    expect(one.counted).toEqual(one.expected)
  })

  test('name the break-even rate without any trade', () => {
    expect(run(flat(100), { strikeRate: 'best' }).measured.sentence).toBe(
      'No decided trades yet; you need 59.5% to break even',
    )
    expect(run(flat(100), { sides: 'Sell', strikeRate: 'best' }).measured.breakEven).toBeCloseTo(62.1118, 4)
  })

  test('have the largest fall from a peak as drawdown', () => {
    const { drawdown, equity } = result
    const falls = equity.flatMap(([, peak], at) => equity.slice(at).map(([, low]) => Number(peak - low)))
    expect(Number(drawdown!.amount)).toBe(Math.max(...falls))
    expect(run(crossAnd(1_020)).drawdown).toBeUndefined()
    expect(run(crossAnd(1_000)).drawdown).toMatchObject({ amount: dollars(10), percent: 1 })
  })

  test('count trades by the hour in which they were placed', () => {
    const { trades, hours } = result
    const placed = trades.filter(({ status, time }) => status === 'Won' && Math.floor((time % DAY_MS) / HOUR_MS) === 7)
    expect(hours[7]!.won).toBe(placed.length)
  })
})

test('the coin toss wins half of a month of simulated trades, within four standard deviations', () => {
  const { allSignals } = run(walk(30 * 24 * 60, 11), { strategy: 'coin-toss' })
  const { won, lost } = allSignals.outcomes
  expect(won + lost).toBeGreaterThan(2_000)
  expect(Math.abs(won - lost)).toBeLessThan(4 * Math.sqrt(won + lost))
})

describe('no look-ahead', () => {
  const range = { from: START, to: START + 600 * MINUTE_MS }
  const known = 400

  property(
    'signals and settled trades are the same, whatever the future is',
    40,
    [fc.constantFrom(...STRATEGY_IDS), fc.constantFrom(60, 180, 300, 900), fc.integer(), fc.integer()],
    (strategy, durationSeconds, seed, other) => {
      const settings = backtestOf({ ...SETTINGS, strategy, durationSeconds, strikeRate: 'best' })
      const past = walk(known, seed, 0.05)
      const futures = [walk(200, other), flat(200, 50_000)].map((future) => [market([...past, ...future])])
      const until = START + known * MINUTE_MS
      const seen = futures.map((markets) => ({
        signals: signalsOf(settings, markets, range)
          .filter(({ time }) => time <= until)
          .map(({ time, symbol, side }) => ({ time, symbol, side })),
        trades: backtest(settings, markets, range).trades.filter(({ endTime }) => endTime <= until),
      }))
      expect(seen[0]).toEqual(seen[1])
    },
  )
})
