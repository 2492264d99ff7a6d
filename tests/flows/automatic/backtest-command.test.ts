import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { DAY_MS, MINUTE_MS } from '#kernel/time.ts'
import { backtest, candlesOf, reportOf } from '#server/backtest/index.ts'
import { backtestOf, type OneBacktest } from '#tests/support/automatic-settings.ts'
import { generatedBars, recordingText, storeBars } from '#tests/support/prices/bars.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'

const COMMAND = fileURLToPath(new URL('../../../ops/commands/backtest-command.ts', import.meta.url))
const DAY = Date.parse('2026-01-05')
let database: TestDatabase
let folder: string

/** Two generated days, for a symbol with two decimals. */
const bars = generatedBars(DAY, (2 * DAY_MS) / MINUTE_MS, 7)

beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'cleartick-backtest-'))
  writeFileSync(join(folder, '2026-01-05_test_BTCUSDT_1m_trade.csv'), recordingText(bars))
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, DATABASE_URL: database.superUrl, DATA_DIR: folder }
  return new Promise((resolve) =>
    execFile(process.execPath, [COMMAND, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    ),
  )
}

const SETTINGS: OneBacktest = {
  strategy: 'breakout',
  symbols: ['BTCUSDT'],
  durationSeconds: 180,
  sides: 'both',
  strikeRate: 'best',
  stake: usd(1_000n),
  startingBalance: usd(1_000_000n),
}
const ARGS = ['--strategy', 'breakout', '--duration', '180']

function expectedReport(one: OneBacktest, from = DAY, to = DAY + 2 * DAY_MS): string {
  const settings = backtestOf(one)
  const markets = [
    { symbol: 'BTCUSDT', symbolId: 1, scale: 2, tradingType: 'Cryptocurrency' as const, minutes: candlesOf(bars) },
  ]
  return reportOf(settings, markets, { from, to }, backtest(settings, markets, { from, to }))
}

test('prints the result of the settings on a recording, with the break-even rate', async () => {
  const { code, out, err } = await run(...ARGS, '--data', folder)
  expect([code, err]).toEqual([0, ''])
  expect(out).toBe(expectedReport(SETTINGS))
  expect(out).toMatch(/\nMeasured \d\d\.\d% .* over \d+ trades; you need \d\d\.\d% to break even\.\n/)
})

test('applies every option', async () => {
  const { out, err } = await run(
    ...ARGS,
    ...['--data', folder, '--symbol', 'BTCUSDT', '--sides', 'Buy', '--strike-rate', '12/5', '--balance', '500'],
    ...['--stake-percent', '3', '--stake', '12.50', '--days', '1,2', '--from-hour', '3', '--to-hour', '20'],
    ...['--trades-a-day', '14', '--loss-a-day', '60', '--loss-in-all', '100', '--losses-in-row', '5'],
    ...['--profit-a-day', '20', '--profit-in-all', '70', '--pause-losses', '2', '--pause-minutes', '30'],
    ...['--time-zone', 'Asia/Kolkata'],
  )
  expect(err).toBe('')
  expect(out).toBe(
    expectedReport({
      ...SETTINGS,
      sides: 'Buy',
      strikeRate: '12/5',
      stake: usd(1_250n),
      stakePercent: 3,
      days: [1, 2],
      fromHour: 3,
      toHour: 20,
      tradesADay: 14,
      lossADay: usd(6_000n),
      lossInAll: usd(10_000n),
      lossesInRow: 5,
      profitADay: usd(2_000n),
      profitInAll: usd(7_000n),
      pause: { losses: 2, minutes: 30 },
      timeZone: 'Asia/Kolkata',
      startingBalance: usd(50_000n),
    }),
  )
})

test('has no cap on a percentage stake unless one is given', async () => {
  const { out } = await run(...ARGS, '--data', folder, '--stake-percent', '2')
  expect(out).toBe(expectedReport({ ...SETTINGS, stakePercent: 2, stake: usd(10n ** 12n) }))
})

test('runs over the requested days of the stored tape', async () => {
  expect((await run(...ARGS)).err).toMatch(/^The tape has no stored minutes yet/)
  await storeBars(database.db, 'BTCUSDT', bars)
  const { out, err } = await run(...ARGS, '--symbol', 'BTCUSDT', '--from', '2026-01-06', '--to', '2026-01-06')
  expect(err).toBe('')
  // Minutes of the previous day fill the first windows.
  const trades = (text: string) => text.split('\n').filter((line) => /^(BTCUSDT|Measured|All signals)/.test(line))
  expect(trades(out)).toEqual(trades(expectedReport(SETTINGS, DAY + DAY_MS)))
  expect((await run(...ARGS, '--from', '2026-01-08')).err).toMatch(/There is from 2026-01-05 to 2026-01-06/)
})

test.each([
  [[], /--strategy: must not be empty/],
  [['--strategy', 'martingale'], /--strategy: is invalid/],
  [[...ARGS, '--stake', '0.5'], /--stake: must be at least 1/],
  [[...ARGS, '--stake', '1e3x'], /--stake: must be a number/],
  [[...ARGS, '--stake-percent', '0'], /--stake-percent: must be from 1 to 100/],
  [[...ARGS, '--trades-a-day', '15'], /--trades-a-day: must be from 1 to 14/],
  [[...ARGS, '--duration', '61'], /--duration: must be one of 60, 180/],
  [[...ARGS, '--days', '7'], /--days: must be from 0 to 6/],
  [[...ARGS, '--to-hour', '25'], /--to-hour: must be from 1 to 24/],
  [[...ARGS, '--unknown'], /Unknown option '--unknown'/],
  [[...ARGS, '--data', '/no/such/folder'], /--data: \/no\/such\/folder doesn't exist/],
  [[...ARGS, '--data', 'package.json'], /has no recording of a known symbol/],
])('rejects %j with a reason', async (args, reason) => {
  const { code, out, err } = await run(...args)
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(reason)
  expect(err).not.toMatch(/\.ts:\d|at async/)
})

test('names a symbol or day without data', async () => {
  const data = ['--data', folder]
  expect((await run(...ARGS, ...data, '--symbol', 'ETHUSDT')).err).toMatch(/no data for ETHUSDT. There is for: BTCUSDT/)
  expect((await run(...ARGS, ...data, '--from', '2026-13-01')).err).toMatch(/--from: 2026-13-01 is no day/)
})
