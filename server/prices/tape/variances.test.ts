import { expect, test } from 'vitest'
import { varianceMinute, varianceOf } from '#kernel/sale-value.ts'
import { MINUTE_MS, SECOND_MS, startOf } from '#kernel/time.ts'
import { startTestPrices, TEST_START, type TestPrices } from '#tests/support/prices/prices.ts'
import { type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { sql } from '../../platform/database/db.ts'
import { decodeFrame, type Entry } from './frames/frame.ts'
import { StatedVariances, variancesAt } from './variances.ts'
import { verifyTape } from './verify-tape.ts'

const closeOf = (minute: number) => 60_000 + ((minute * 37) % 11) * 25

/** Writes three prices a minute from this minute of the tape on; the last one is the minute's close. */
async function minutes(prices: TestPrices, from: number, to: number): Promise<void> {
  for (let minute = from; minute < to; minute++)
    for (const second of [10, 30, 50]) {
      prices.clock.set(TEST_START + minute * MINUTE_MS + second * SECOND_MS - 250)
      await prices.tick({ BTCUSDT: (closeOf(minute) + (second === 50 ? 0 : second)).toFixed(2) })
    }
}

/** The variances of the frames that aren't packed. */
async function stated(database: TestDatabase) {
  const { rows } = await sql<{ t: bigint; body: Buffer }>`select t, body from frames order by n`.execute(database.db)
  return rows.flatMap(({ t, body }) => {
    const { variances } = decodeFrame(Number(t), body)
    return variances.length > 0 ? [{ minute: (varianceMinute(Number(t)) - TEST_START) / MINUTE_MS, variances }] : []
  })
}

const expected = (from: number, to: number) => [
  { symbol: 'BTCUSDT', value: varianceOf(Array.from({ length: to - from }, (_, i) => closeOf(from + i) * 100)) },
]

test('the first frame after each minute states the variances of up to sixty minutes, once there are thirty', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await minutes(prices, 0, 33)
  expect(await stated(database)).toEqual([30, 31, 32].map((minute) => ({ minute, variances: expected(0, minute) })))
  expect((await verifyTape(database.db)).broken).toBeUndefined()
})

test('a node that starts later states the same, from packed minutes and from frames', async () => {
  const database = await testDatabase()
  const first = await startTestPrices(database)
  await minutes(first, 0, 62)
  await first.runHousekeeping()
  await first.stop()
  const second = await startTestPrices(database)
  await minutes(second, 62, 64)
  expect((await stated(database)).at(-1)).toEqual({ minute: 63, variances: expected(3, 63) })
  expect((await verifyTape(database.db)).broken).toBeUndefined()
  const at = TEST_START + 35 * MINUTE_MS + 20 * SECOND_MS
  expect((await variancesAt(database.db, at))?.of.get('BTCUSDT'), 'in a packed minute').toBe(expected(0, 35)[0]?.value)
})

test('after a minute without a price, nothing is stated for thirty minutes', async () => {
  const database = await testDatabase()
  const prices = await startTestPrices(database)
  await minutes(prices, 0, 31)
  await minutes(prices, 32, 64)
  expect((await stated(database)).map(({ minute }) => minute)).toEqual([30, 62, 63])
  expect(await variancesAt(database.db, TEST_START + 40 * MINUTE_MS)).toBeUndefined()
  const { of, frame } = (await variancesAt(database.db, TEST_START + 62 * MINUTE_MS + 4_000)) ?? {}
  expect(of?.get('BTCUSDT')).toBe(expected(32, 62)[0]?.value)
  expect(frame).toBe(31 * 3 + 30 * 3 + 1)
})

test('after the source has changed, nothing is stated for thirty minutes', () => {
  const tape = new StatedVariances(undefined)
  const frame = (minute: number, kind: number, from: number | undefined) => {
    const t = TEST_START + minute * MINUTE_MS + 30_000
    const entry: Entry = { symbol: 'BTCUSDT', kind, scale: 2, seq: minute + 1, sourceMs: t, units: closeOf(minute) }
    const value = from !== undefined && varianceOf(Array.from({ length: minute - from }, (_, i) => closeOf(from + i)))
    return tape.frame(t, [entry], value ? [{ symbol: 'BTCUSDT', value }] : [])
  }
  for (let minute = 0; minute < 31; minute++) expect(frame(minute, 0, minute < 30 ? undefined : 0)).toBeUndefined()
  for (let minute = 31; minute < 61; minute++)
    expect(frame(minute, 1, undefined)).toBe(minute === 31 ? 'BTCUSDT' : undefined)
  expect(frame(61, 1, 31)).toBeUndefined()
})

test('a variance that is changed, left out, added or stated twice is found', () => {
  const run = (change: (minute: number, value: number) => { symbol: string; value: number }[]) => {
    const tape = new StatedVariances(undefined)
    for (let minute = 0; minute < 40; minute++)
      for (const second of [0, 30]) {
        const t = TEST_START + minute * MINUTE_MS + 4_000 + second * SECOND_MS
        const entry = { symbol: 'BTCUSDT', kind: 0, scale: 2, seq: 1, sourceMs: t, units: closeOf(minute) }
        const until = startOf(t, MINUTE_MS)
        const value = varianceOf(Array.from({ length: minute }, (_, i) => closeOf(i)))
        const due = second === 0 && value !== undefined && until === varianceMinute(t)
        const wrong = tape.frame(t, [entry], due ? change(minute, value) : second > 0 ? change(-minute, 1) : [])
        if (wrong) return `${wrong} in minute ${minute}`
      }
    return undefined
  }
  const honest = (minute: number, value: number) => (minute > 0 ? [{ symbol: 'BTCUSDT', value }] : [])
  expect(run(honest)).toBeUndefined()
  expect(run((minute, value) => honest(minute, minute === 35 ? value + 1 : value))).toBe('BTCUSDT in minute 35')
  expect(run((minute, value) => (minute === 35 ? [] : honest(minute, value)))).toBe('BTCUSDT in minute 35')
  expect(run((minute, value) => (minute === -35 ? [{ symbol: 'BTCUSDT', value }] : honest(minute, value)))).toBe(
    'BTCUSDT in minute 35',
  )
  expect(
    run((minute, value) => [...honest(minute, value), ...(minute === 36 ? [{ symbol: 'ETHUSDT', value: 1 }] : [])]),
  ).toBe('ETHUSDT in minute 36')
})
