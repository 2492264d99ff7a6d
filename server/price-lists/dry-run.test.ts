import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import type { StrikeRate } from '#contract/terms.ts'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import { DAY_MS, MINUTE_MS } from '#kernel/time.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { createTestDatabase } from '#tests/support/servers/database.ts'
import type { Instruments, RecordedDay } from '../prices/index.ts'
import { dryRun } from './dry-run.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

const NOW = Date.UTC(2026, 10, 23)
const instruments = {
  list: [instrument({ symbol: 'BTCUSDT', id: 1 }), instrument({ symbol: 'ETHUSDT', id: 2 })],
} as unknown as Instruments
/** The same unordered numbers in each run. */
const noise = (n: number) => createHash('sha256').update(String(n)).digest().readUInt16BE()
const lists = (...pairs: StrikeRate[]): PriceListDocument => ({ lists: [{ name: 'One', pairs }], rules: [] })

/** A day of minutes whose closes follow a function, as recordings hold them. */
const day = (at: number, close: (minute: number) => number): RecordedDay => ({
  start: NOW - at * DAY_MS,
  minutes: new Map(
    ['BTCUSDT', 'ETHUSDT'].map((symbol) => [
      symbol,
      JSON.stringify(
        Array.from({ length: 1_440 }, (_, i) => [NOW - at * DAY_MS + i * MINUTE_MS, ...Array(4).fill(close(i))]),
      ),
    ]),
  ),
})
const deps = (...recorded: RecordedDay[]): Parameters<typeof dryRun>[0] => ({
  db: database.db,
  tape: { closedCandles: () => [] } as never,
  instruments,
  recordings: async () => recorded,
})
const run = (document: PriceListDocument, ...recorded: RecordedDay[]) => dryRun(deps(...recorded), document, 7, NOW)

test('on prices that rise two minutes of three, Buy has an edge from 51 % on, and Sell has none', async () => {
  const rises = [1, 2, 3, 4].map((at) => day(at, (i) => 10_000 + i + (i % 3 === 0 ? 2 : 0)))
  const found = await run(lists('75/75', '40/40'), ...rises)
  expect(found.edge).toBe(true)
  expect(found.edges.map(({ side, pair }) => `${side} ${pair}`)).toContain('Buy 75/75')
  expect(found.edges.every(({ side, low, percent }) => side === 'Buy' && low > 0 && percent >= low)).toBe(true)
  const buy = found.rows.find(({ pair, side }) => pair === '75/75' && side === 'Buy')
  expect(buy?.hold?.percent).toBeLessThan(0)
  expect(buy).toMatchObject({ break_even: 57.1, source: 'recordings', list: 1 })
  expect(found).toMatchObject({ open_trades: 7, sources: [{ name: 'recordings', symbols: 2 }] })
})

test('on prices that go up and down, the house holds what the odds leave it, with a range by days', async () => {
  const even = [1, 2, 3, 4, 5].map((at) => day(at, (i) => 10_000 + noise(i + at * 1_440)))
  const found = await run(lists('75/3'), ...even)
  expect(found.edge).toBe(false)
  const [buy, sell] = found.rows
  expect(buy?.hold?.percent).toBeGreaterThan(5)
  expect(buy?.hold?.percent).toBeLessThan(20)
  expect(sell?.hold?.percent).toBeGreaterThan(40)
  expect(buy?.hold?.low).toBeLessThan(buy!.hold!.percent)
  expect(buy?.hold?.high).toBeGreaterThan(buy!.hold!.percent)
})

test('each minute counts for the list that applies in its hour', async () => {
  const document: PriceListDocument = {
    lists: [
      { name: 'Day', pairs: ['50/50'] },
      { name: 'Night', pairs: ['10/10'] },
    ],
    rules: [
      { symbols: ['BTCUSDT'], group: null, durations: [60], days: [...EVERY_DAY], from_hour: 0, to_hour: 6, list: 2 },
    ],
  }
  const found = await run(
    document,
    day(1, (i) => 10_000 + (i % 2)),
  )
  // Of 24 hours, six have the second list, for one symbol and one of the durations that fit into a day.
  expect(found.rows.find(({ list }) => list === 2)?.minutes).toBe(360)
})

test('a side that pays 100 % leaves no hold, whatever the prices did', async () => {
  const found = await run(lists('100/1'))
  expect(found).toMatchObject({ edge: true, edges: [], no_hold: [{ list: 1, pair: '100/1', side: 'Buy' }], rows: [] })
})
