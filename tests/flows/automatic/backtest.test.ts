import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BacktestReply } from '#contract/trading/backtest.ts'
import { usd } from '#kernel/money.ts'
import { DAY_MS, MINUTE_MS, toIso } from '#kernel/time.ts'
import { backtest, candlesOf } from '#server/backtest/index.ts'
import { readTape } from '#server/backtest/read.ts'
import { signalsOf } from '#server/backtest/signals.ts'
import { createDecider, type Draft } from '#server/signals/decide.ts'
import { STRATEGIES } from '#server/strategies/index.ts'
import { automationOf, backtestOf, type OneBacktest, type OneFollowed } from '#tests/support/automatic-settings.ts'
import { longestTurn } from '#tests/support/measures/longest-turn.ts'
import { generatedBars, recordingText, storeBars } from '#tests/support/prices/bars.ts'
import { startTestPrices, TEST_START } from '#tests/support/prices/prices.ts'
import { draws } from '#tests/support/random.ts'
import { startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { testDatabase } from '#tests/support/servers/database.ts'

const DAY = Date.parse('2026-01-05')
const bars = generatedBars(DAY, (3 * DAY_MS) / MINUTE_MS, 7)
let app: WholeApp
let ada: Trader
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-recordings-'))
  writeFileSync(join(folder, '2026-01-05_test_BTCUSDT_1m_trade.csv'), recordingText(bars))
  writeFileSync(join(folder, '2026-01-06_test_ETHUSDT_1m_trade.csv'), recordingText(bars.slice(1_500, 2_000)))
  // Display-only: traders can't trade it.
  writeFileSync(join(folder, '2026-01-06_test_EURUSD_1m_trade.csv'), recordingText(bars.slice(1_500, 2_000)))
  writeFileSync(
    join(folder, '2026-01-12_test_EURUSD_1m_trade.csv'),
    recordingText(generatedBars(DAY + 7 * DAY_MS, 60, 1)),
  )
  app = await startWholeApp({ RECORDINGS: folder })
  ada = await app.trader()
  await storeBars(app.db, 'BTCUSDT', bars)
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

const BODY = {
  strategy: 'breakout',
  symbols: ['BTCUSDT'],
  duration: 180,
  loss_a_day: 10_000,
  loss_in_all: 10_000,
  losses_in_row: null,
  balance: 10_000,
  source: 'tape',
  from: '2026-01-06',
  to: '2026-01-07',
}
const SETTINGS: OneBacktest = {
  strategy: 'breakout',
  symbols: ['BTCUSDT'],
  durationSeconds: 180,
  sides: 'both',
  strikeRate: 'best',
  stake: usd(1_000n),
  tradesADay: 14,
  startingBalance: usd(1_000_000n),
}
const { from: _from, to: _to, ...onRecording } = { ...BODY, source: '2026-01-06' }

/** Takes the fields of one strategy next to the others. */
function ask(one: object, { token } = ada) {
  const { mode: _, ...body } = automationOf(one as OneFollowed)
  return app.send('POST', '/api/automatic/backtest', { token, body })
}
async function ran(body: object): Promise<BacktestReply> {
  const reply = await ask(body)
  expect(reply.status, reply.text).toBe(200)
  return reply.json!.data as BacktestReply
}

const decoder = new TextDecoder()
const textOf = (bytes: Uint8Array) => decoder.decode(bytes)

/** Runs the same back-test without the API. */
function expected(from: number, to: number, one = SETTINGS) {
  const settings = backtestOf(one)
  const markets = [
    {
      symbol: 'BTCUSDT',
      symbolId: 1,
      scale: 2,
      tradingType: 'Cryptocurrency' as const,
      minutes: candlesOf(bars.filter(([time]) => time < to)),
    },
  ]
  return backtest(settings, markets, { from, to })
}

test('runs over days of the tape', async () => {
  const data = await ran(BODY)
  const result = expected(DAY + DAY_MS, DAY + 3 * DAY_MS)
  expect(result.trades.length).toBe(28)
  expect(data).toMatchObject({
    strategies: [{ strategy: 'breakout', version: 1, duration: 180 }],
    from: '2026-01-06T00:00:00.000Z',
    to: '2026-01-08T00:00:00.000Z',
    minutes: bars.filter(([time]) => time >= DAY + DAY_MS).length,
    trades: { ...result.measured.outcomes, sentence: result.measured.sentence },
    signals: { ...result.allSignals.outcomes, hit_rate: result.allSignals.hitRate },
    skipped: result.skipped,
    stopped: null,
    balance: Number(result.equity.at(-1)![1]) / 100,
  })
  const last = result.trades.at(-1)!
  expect(data.newest[0]).toMatchObject({
    trade_time: toIso(last.time),
    status: last.status,
    start_price: last.entry! / 100,
    end_price: last.exit! / 100,
  })
  expect(data.equity.at(-1)).toEqual([last.endTime, data.balance])
  expect(data.profit).toBeCloseTo(data.balance - 10_000, 8)
})

test.each([
  ['tape', { ...BODY, to: '2026-01-06' }],
  ['recording', onRecording],
])('the previous day fills the first windows of the %s', async (_source, body) => {
  const { newest } = await ran({ ...body, duration: 900 })
  const { trades } = expected(DAY + DAY_MS, DAY + 2 * DAY_MS, { ...SETTINGS, durationSeconds: 900 })
  const first = trades[0]!.time
  expect(first).toBeLessThan(DAY + DAY_MS + 21 * 15 * MINUTE_MS)
  expect(newest.at(-1)!.trade_time).toBe(toIso(first))
  expect(newest).toHaveLength(trades.length)
})

test('passes every setting on', async () => {
  const more = { sides: 'Sell', strike_rate: '11/13', trades_a_day: 12, days: [2, 3], from_hour: 3, to_hour: 20 }
  const stops = { loss_a_day: 30, loss_in_all: 45, losses_in_row: 5 }
  const data = await ran({ ...BODY, ...more, ...stops, balance: 500, stake_percent: 2, stake: 9.5 })
  const result = expected(DAY + DAY_MS, DAY + 3 * DAY_MS, {
    ...SETTINGS,
    sides: 'Sell',
    strikeRate: '11/13',
    stake: usd(950n),
    stakePercent: 2,
    tradesADay: 12,
    days: [2, 3],
    fromHour: 3,
    toHour: 20,
    lossADay: usd(3_000n),
    lossInAll: usd(4_500n),
    lossesInRow: 5,
    startingBalance: usd(50_000n),
  })
  expect(data).toMatchObject({
    trades: { sentence: result.measured.sentence },
    skipped: result.skipped,
    stopped: { stop: result.stopped!.stop, time: toIso(result.stopped!.time) },
    drawdown: { amount: Number(result.drawdown!.amount) / 100 },
  })
})

test('lists the tape and the recorded days, and runs over one of them', async () => {
  const { json } = await app.send('GET', '/api/automatic/backtest/sources', { token: ada.token })
  expect(json!.data).toMatchObject({
    tape: { from: '2026-01-05T00:00:00.000Z' },
    recordings: [
      { day: '2026-01-07', symbols: ['BTCUSDT'] },
      { day: '2026-01-06', symbols: ['BTCUSDT', 'ETHUSDT'] },
      { day: '2026-01-05', symbols: ['BTCUSDT'] },
    ],
  })
  const result = expected(DAY + DAY_MS, DAY + 2 * DAY_MS)
  expect(await ran(onRecording)).toMatchObject({
    trades: { sentence: result.measured.sentence },
    signals: { sentence: result.allSignals.sentence },
    to: '2026-01-07T00:00:00.000Z',
  })
})

test('bounds the reply, however many trades there were', async () => {
  const long = generatedBars(DAY - 40 * DAY_MS, 31 * 1_440, 3)
  await storeBars(app.db, 'ETHUSDT', long)
  const data = await ran({ ...BODY, symbols: ['ETHUSDT'], from: '2025-11-26', to: '2025-12-26' })
  const range = { from: DAY - 40 * DAY_MS, to: DAY - 9 * DAY_MS }
  const markets = [
    { symbol: 'ETHUSDT', symbolId: 1, scale: 2, tradingType: 'Cryptocurrency' as const, minutes: candlesOf(long) },
  ]
  const { trades } = backtest(backtestOf({ ...SETTINGS, symbols: ['ETHUSDT'] }), markets, range)
  expect(trades).toHaveLength(31 * 14)
  expect(data.trades.won + data.trades.lost + data.trades.draws + data.trades.voids).toBe(trades.length)
  expect(data.newest).toHaveLength(200)
  expect(data.newest.map(({ trade_time }) => trade_time)).toEqual(
    trades
      .slice(-200)
      .reverse()
      .map(({ time }) => toIso(time)),
  )
  expect(data.equity.length).toBeGreaterThan(300)
  expect(data.equity.length).toBeLessThanOrEqual(400)
  const balances = trades.map(({ balance }) => Number(balance) / 100)
  const shown = data.equity.map(([, balance]) => balance)
  expect(Math.min(...shown)).toBe(Math.min(10_000, ...balances))
  expect(Math.max(...shown)).toBe(Math.max(10_000, ...balances))
  expect(data.equity.map(([time]) => time)).toEqual(data.equity.map(([time]) => time).toSorted((a, b) => a - b))
})

test('runs over all symbols of the source if none is named', async () => {
  const { symbols: _, ...all } = onRecording
  const data = await ran({ ...all, symbols: [], trades_a_day: 14, duration: 60 })
  expect(data.minutes).toBe(
    bars.filter(([time]) => time >= DAY + DAY_MS && time < DAY + 2 * DAY_MS).length +
      bars.slice(1_500, 2_000).filter(([time]) => time >= DAY + DAY_MS).length,
  )
  const tape = await ran({ ...BODY, symbols: [], from: '2026-01-06', to: '2026-01-06' })
  expect(tape.signals.won).toBeGreaterThan(0)
})

test('runs one at a time for each trader', async () => {
  const replies = await Promise.all(Array.from({ length: 4 }, () => ask(BODY)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429])
  expect(replies.find(({ status }) => status === 429)!.json).toMatchObject({ code: 'too_many_requests' })
  const eve = await app.trader()
  const both = await Promise.all([ask(BODY), ask(BODY, eve)])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
})

test.each([
  ['a display-only symbol', { symbols: ['BTCUSDT', 'EURUSD'] }, 'symbols'],
  ['an unknown symbol', { symbols: ['BTCUSDX'] }, 'symbols'],
  ['101 symbols', { symbols: Array.from({ length: 101 }, (_, n) => `S${n}`) }, 'symbols'],
  ['32 days', { from: '2026-01-06', to: '2026-02-06' }, 'to'],
  ['more than 310 days of symbols', { symbols: [], from: '2026-01-01', to: '2026-01-05' }, 'to'],
  ['an end before the start', { to: '2026-01-05' }, 'to'],
  ['no first day', { from: undefined }, 'from'],
  ['no last day', { to: undefined }, 'to'],
  ['a day that does not exist', { from: '2026-02-30' }, 'from'],
  ['days before the tape', { from: '2025-01-01', to: '2025-01-02' }, 'from'],
  ['future days', { from: '2999-01-01', to: '2999-01-02' }, 'from'],
  ['a day that is not recorded', { source: '2026-02-01', from: undefined, to: undefined }, 'source'],
  [
    'a day without a symbol that is traded',
    { source: '2026-01-12', symbols: [], from: undefined, to: undefined },
    'source',
  ],
  ['a recorded day and other days', { source: '2026-01-06' }, 'from'],
  ['a path as source', { source: '../../etc', from: undefined, to: undefined }, 'source'],
  ['no stake', { stake: null }, 'stake'],
  ['a stake below a dollar', { stake: 0.99 }, 'stake'],
  ['a stake above the daily loss limit', { stake: 11, loss_a_day: 10 }, 'loss_a_day'],
  ['half a percent', { stake_percent: 0.5 }, 'stake_percent'],
  ['a duration without signals', { duration: 7_200 }, 'duration'],
  ['an unknown strategy', { strategy: 'martingale' }, 'strategy'],
  ['hours that end when they begin', { from_hour: 9, to_hour: 9 }, 'to_hour'],
  ['an unknown time zone', { time_zone: 'Mars/Base' }, 'time_zone'],
  ['a profit of a day above the profit in all', { profit_a_day: 20, profit_in_all: 10 }, 'profit_in_all'],
  ['a pause without an end', { pause_losses: 2 }, 'pause_minutes'],
  ['a pause of four minutes', { pause_losses: 2, pause_minutes: 4 }, 'pause_minutes'],
  ['day 7', { days: [7] }, 'days'],
  ['no balance', { balance: 0 }, 'balance'],
])('rejects %s', async (_what, change, field) => {
  const reply = await ask({ ...BODY, ...change })
  expect(reply.status, reply.text).toBe(422)
  expect(reply.json).toMatchObject({
    code: 'validation_failed',
    errors: [{ field: expect.stringMatching(`(^|\\.)${field}`) }],
  })
})

test('a symbol must be recorded on the day', async () => {
  const reply = await ask({ ...onRecording, source: '2026-01-07', symbols: ['ETHUSDT'] })
  expect(reply.json).toMatchObject({
    errors: [{ field: 'strategies.0.symbols', message: expect.stringContaining('ETHUSDT') }],
  })
})

test('reads stored minutes and then those that are only in memory', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  for (let n = 0; n < 40 * 4; n++) {
    prices.clock.advance(14_750)
    await prices.tick({ BTCUSDT: String(60_000 + ((n * 37) % 101)) })
  }
  await prices.runHousekeeping()
  const stored = await database.db.selectFrom('candles').select('minute').orderBy('minute').execute()
  expect(stored.length).toBeGreaterThan(20)
  expect(stored.length).toBeLessThan(30)
  const deps = { db: database.db, tape: prices.tape, instruments: prices.instruments, recordings: async () => [] }
  const whole = { from: TEST_START - DAY_MS, to: TEST_START + DAY_MS }
  const { data, range } = await readTape(deps, backtestOf({ ...SETTINGS, durationSeconds: 60 }), whole)
  const times = data[0]!.parts.flatMap((part) => (JSON.parse(textOf(part)) as [number][]).map(([time]) => time))
  expect(times).toEqual(Array.from({ length: times.length }, (_, n) => TEST_START + n * MINUTE_MS))
  expect(times.length).toBe(39)
  expect(range).toEqual({ from: TEST_START, to: TEST_START + 39 * MINUTE_MS })
})

test('finds the same signals as when the tape was written', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  const { tape, instruments } = prices
  const decider = createDecider({ tape, instruments, strategies: STRATEGIES })
  const { below, chance } = draws(5)
  const quoted: Record<string, number> = { BTCUSDT: 60_000, ETHUSDT: 2_600 }
  const live: Draft[] = []
  for (let minute = 0; minute < 75; minute++) {
    // An occasional minute without prices; otherwise four quotes: at the start, in the middle, and at the end.
    const isSilent = chance(0.05)
    for (const waitMs of [0, 19_750, 19_750, 19_500]) {
      prices.clock.advance(waitMs)
      for (const symbol in quoted) quoted[symbol]! *= 1 + (below(201) - 100) / 50_000
      const texts = Object.entries(quoted).map(([symbol, value]) => [symbol, value.toFixed(2)])
      await prices.tick(isSilent ? {} : Object.fromEntries(texts))
      live.push(...(await decider.newDrafts()))
    }
  }
  const deps = { db: database.db, tape, instruments, recordings: async () => [] }
  const whole = { from: TEST_START - DAY_MS, to: TEST_START + DAY_MS }
  const nameOf = (strategy: string, symbol: string, duration: number, time: number, side: string) =>
    [strategy, symbol, duration, (time - TEST_START) / MINUTE_MS, side].join(' ')
  for (const durationSeconds of [60, 180, 300] as const) {
    for (const { id } of STRATEGIES) {
      const wanted = backtestOf({ ...SETTINGS, strategy: id, symbols: ['BTCUSDT', 'ETHUSDT'], durationSeconds })
      const { settings, range, data } = await readTape(deps, wanted, whole)
      const markets = data.map(({ parts, ...market }) => ({
        ...market,
        minutes: parts.flatMap((part) => candlesOf(JSON.parse(textOf(part)))),
      }))
      const found = signalsOf(settings, markets, range).map(({ symbol, time, side }) =>
        nameOf(id, symbol, durationSeconds, time, side),
      )
      const ended = live.filter(
        (draft) =>
          draft.strategy === id &&
          draft.durationSeconds === durationSeconds &&
          draft.candleClose + durationSeconds * 1_000 <= range.to,
      )
      const computed = ended.map((draft) => {
        const { symbol } = instruments.byId(draft.symbolId)!
        return nameOf(id, symbol, durationSeconds, draft.candleClose, draft.side)
      })
      expect(found, `${id} ${durationSeconds}`).toEqual(computed)
      if (durationSeconds === 60) expect(found.length, id).toBeGreaterThan(0)
    }
  }
})

test('a month of candles never blocks the event loop, which the tape needs', async () => {
  const month = generatedBars(DAY, (31 * DAY_MS) / MINUTE_MS, 3)
  const symbols = ['ETHUSDT', 'LTCUSDT', 'XRPUSDT']
  for (const symbol of symbols) await storeBars(app.db, symbol, month)
  const body = { ...BODY, symbols, duration: 60, from: '2026-01-05', to: '2026-02-04' }
  await ran(body)
  // Takes about 5 ms. Computed on the event loop, it would take more than 200 ms.
  expect(await longestTurn(() => ran(body))).toBeLessThan(60)
})
