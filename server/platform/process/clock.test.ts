import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase } from '#tests/support/servers/database.ts'
import { startClock } from './clock.ts'
import { createLog } from './log.ts'

test('asks for the time only while no other query brings it, and stops trades when that differs', async () => {
  const database = await createTestDatabase()
  let asked = 0
  const query = (text: string) => {
    asked++
    return database.pool.query(text)
  }
  const clock = await startClock({ query } as unknown as pg.Pool, createLog('silent'))
  onTestFinished(async () => {
    clock.stop()
    await database.drop()
  })
  asked = 0
  for (let round = 0; round < 10; round++) {
    clock.takeReading?.(clock.now(), performance.now())
    await sleep(300)
  }
  expect(asked).toBe(0)
  await expect.poll(() => asked).toBe(1)
  expect(clock.agrees()).toBe(true)
  clock.takeReading?.(clock.now() + 5_000, performance.now())
  expect(clock.agrees()).toBe(false)
})

/** A clock of a database that steps, read once a second of the monotonic clock. */
async function steppedClock(stepMs: number) {
  vi.useFakeTimers({ toFake: ['performance'] })
  const epoch = 1_790_000_000_000
  let shift = 0
  const databaseMs = () => epoch + performance.now() + shift
  const query = async () => ({ rows: [{ ms: String(databaseMs()) }] })
  const clock = await startClock({ query } as unknown as pg.Pool, createLog('silent'))
  onTestFinished(() => {
    clock.stop()
    vi.useRealTimers()
  })
  shift = stepMs
  return {
    clock,
    /** The clock of the database is right again. */
    stepBack() {
      shift = 0
    },
    differenceMs: () => clock.now() - databaseMs(),
    /** Returns by how much the clock moved in a second. */
    second() {
      const before = clock.now()
      vi.advanceTimersByTime(1_000)
      clock.takeReading?.(databaseMs(), performance.now())
      return clock.now() - before
    },
  }
}

test.each([3_000, -3_000, 20_000])(
  'trading resumes by itself after the clock of the database steps by %d ms',
  async (step) => {
    const { clock, differenceMs, second } = await steppedClock(step)
    second()
    expect(clock.agrees(), 'no trade is accepted while the clocks differ').toBe(false)
    let rejected = 1
    while (!clock.agrees() && rejected < 600) {
      const moved = second()
      expect(Math.abs(moved - 1_000), 'the tape keeps its pace within a tenth').toBeLessThanOrEqual(101)
      rejected++
    }
    expect(rejected).toBeLessThanOrEqual((Math.abs(step) - 1_000) / 100 + 2)
    expect(Math.abs(differenceMs()), 'an order is not late on arrival').toBeLessThanOrEqual(1_000)
    for (let n = 0; n < 300; n++) second()
    expect(Math.abs(differenceMs())).toBeLessThan(50)
    expect(clock.agrees()).toBe(true)
  },
)

test('a step of hours ends no trade early', async () => {
  const { clock, second } = await steppedClock(2 * 3_600_000)
  const before = clock.now()
  for (let n = 0; n < 60; n++) second()
  expect(clock.now() - before).toBeLessThanOrEqual(66_100)
  expect(clock.agrees()).toBe(false)
})

test.each([300_000, -300_000])(
  'trading resumes at once when a clock that was wrong by %d ms is right again',
  async (step) => {
    const { clock, differenceMs, second, stepBack } = await steppedClock(step)
    for (let n = 0; n < 300; n++)
      expect(Math.abs(second() - 1_000), 'the tape keeps its own pace').toBeLessThanOrEqual(1)
    expect(clock.agrees()).toBe(false)
    stepBack()
    second()
    expect(clock.agrees()).toBe(true)
    expect(Math.abs(differenceMs())).toBeLessThan(50)
  },
)

test('a clock that stays wrong is caught up with in the end', async () => {
  const { clock, second } = await steppedClock(300_000)
  second()
  let rejected = 1
  while (!clock.agrees() && rejected < 10_000) {
    second()
    rejected++
  }
  // Ten minutes at its own pace, then 299 s at a tenth of a second each.
  expect(rejected).toBeGreaterThan(600 + 2_960)
  expect(rejected).toBeLessThan(600 + 3_010)
})
