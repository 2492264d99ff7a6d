import { expect, test } from 'vitest'
import type { Bar } from '../../prices/candles/candles.ts'
import { ClosedCandles } from './closed-candles.ts'
import { IndicatorCrossings } from './indicator-crossings.ts'

const HOUR_MS = 3_600_000
const BTC = { symbol: 'BTCUSDT', scale: 2 }
const barAt = (hour: number): Bar => [hour * HOUR_MS, 100, 300, 50, hour]

function scene() {
  const asked: number[] = []
  const tape = { hours: 10, since: 1 }
  const candles = new ClosedCandles(
    {
      provenUntil: () => tape.hours * HOUR_MS + 1,
      periodsOf: () => [{ kind: 0, since: tape.since }],
    },
    async (_symbol, _intervalMs, count, until) => {
      asked.push(count)
      const end = until / HOUR_MS
      return Array.from({ length: Math.min(count, 5) }, (_, n) => barAt(end - Math.min(count, 5) + n))
    },
  )
  const closes = () => candles.of(BTC, HOUR_MS)?.list.map(({ close }) => Math.round(close * 100))
  return { asked, tape, candles, closes }
}

test('reads what is asked for once, and then only what has closed', async () => {
  const { asked, tape, candles, closes } = scene()
  expect(await candles.read(), 'nothing was asked for').toBe(false)
  expect(closes()).toBeUndefined()
  expect(await candles.read()).toBe(true)
  expect(closes()).toEqual([5, 6, 7, 8, 9])
  expect(await candles.read()).toBe(false)
  tape.hours = 12
  expect(await candles.read()).toBe(true)
  expect(closes()).toEqual([5, 6, 7, 8, 9, 10, 11])
  expect(asked).toEqual([1_000, 2])
  expect(candles.of(BTC, HOUR_MS)?.until).toBe(12 * HOUR_MS)
})

test('a symbol without prices in the hour gets none, and that is known', async () => {
  const { tape, candles } = scene()
  candles.of(BTC, HOUR_MS)
  await candles.read()
  const before = candles.of(BTC, HOUR_MS)?.list.length
  // The answer for one hour is the newest candle, which is an older one.
  const quiet = new ClosedCandles(
    { provenUntil: () => tape.hours * HOUR_MS + 1, periodsOf: () => [{ kind: 0, since: 1 }] },
    async () => [barAt(3)],
  )
  quiet.of(BTC, HOUR_MS)
  await quiet.read()
  tape.hours = 11
  await quiet.read()
  expect(before).toBe(5)
  expect(quiet.of(BTC, HOUR_MS)).toMatchObject({ until: 11 * HOUR_MS, list: [{ time: 3 * HOUR_MS }] })
})

test('prices of another kind of source replace those before', async () => {
  const { asked, tape, candles, closes } = scene()
  candles.of(BTC, HOUR_MS)
  await candles.read()
  tape.since = 2
  tape.hours = 11
  expect(await candles.read()).toBe(true)
  expect(closes()).toEqual([6, 7, 8, 9, 10])
  expect(asked).toEqual([1_000, 1_000])
})

test('a read that fails holds back no other', async () => {
  let isBroken = true
  const candles = new ClosedCandles(
    { provenUntil: () => 10 * HOUR_MS + 1, periodsOf: () => [{ kind: 0, since: 1 }] },
    async (symbol) => {
      if (symbol === 'BTCUSDT' && isBroken) throw new Error('the database is down')
      return [barAt(9)]
    },
  )
  const eth = { symbol: 'ETHUSDT', scale: 2 }
  candles.of(BTC, HOUR_MS)
  candles.of(eth, HOUR_MS)
  await expect(candles.read()).rejects.toThrow('the database is down')
  expect(candles.of(eth, HOUR_MS)?.list).toHaveLength(1)
  expect(candles.of(BTC, HOUR_MS)).toBeUndefined()
  isBroken = false
  expect(await candles.read()).toBe(true)
  expect(candles.of(BTC, HOUR_MS)?.list).toHaveLength(1)
})

test('a candle that is never read holds back what counts as judged for ten minutes', () => {
  let minute = 60
  const tape = { provenUntil: () => minute * 60_000, ticks: () => undefined }
  const crossings = new IndicatorCrossings(tape, BTC, 59 * 60_000, { of: () => undefined })
  crossings.add({
    ...{ kind: 'indicator', id: 1n, userId: 1n, symbol: 'BTCUSDT', arming: 1, base: 1, baseSeq: 1, baseMs: 0 },
    direction: 'either',
    indicator: { id: 'sma', inputs: [2], output: 'value', interval: '1h', level: 1 },
  })
  const isLateAt = (at: number) => {
    minute = at
    crossings.advance(() => undefined)
    return crossings.isLate
  }
  expect([60, 69, 70, 119, 120].map(isLateAt)).toEqual([true, true, false, false, true])
})

test('prices of another kind of source begin every line again', () => {
  const hours = (...closes: number[]) =>
    closes.map((close, hour) => ({ time: hour * HOUR_MS, open: close, high: close, low: close, close }))
  let closed = { since: 1, until: 2 * HOUR_MS, list: hours(10, 10) }
  const tape = {
    provenUntil: () => closed.until,
    ticks: (_symbol: string, from: number, _to: number, each: (seq: number, at: number, units: number) => void) =>
      each(from, from, 1),
  }
  const crossings = new IndicatorCrossings(tape, BTC, closed.until, { of: () => closed })
  const alert = (id: bigint, level: number) => ({
    ...{ kind: 'indicator' as const, id, userId: 1n, symbol: 'BTCUSDT', arming: 1, base: 1, baseSeq: 1, baseMs: 0 },
    direction: 'either' as const,
    indicator: { id: 'sma', inputs: [2], output: 'value', interval: '1h' as const, level },
  })
  for (const [n, level] of [25, 47].entries()) crossings.add(alert(BigInt(n), level))
  const fired: unknown[] = []
  const close = (next: typeof closed) => {
    closed = next
    crossings.advance((one, _tick, value) => fired.push([one.indicator.level, value]))
  }
  // From 10 to 40 by the source alone: no crossing of 25.
  close({ since: 2, until: 3 * HOUR_MS, list: hours(40, 40, 50) })
  expect(fired).toEqual([])
  close({ since: 2, until: 4 * HOUR_MS, list: hours(40, 40, 50, 60) })
  expect(fired).toEqual([[47, 55]])
})

test('candles that nobody asks for any more are dropped', async () => {
  const { asked, tape, candles, closes } = scene()
  candles.of(BTC, HOUR_MS)
  for (const hour of [10, 11, 12]) {
    tape.hours = hour
    expect(await candles.read()).toBe(true)
  }
  tape.hours = 13
  expect(await candles.read()).toBe(false)
  expect(closes()).toBeUndefined()
  expect(asked).toEqual([1_000, 1, 1])
})
