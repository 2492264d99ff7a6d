import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#tests/support/database.ts'
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
  await expect.poll(() => asked, { timeout: 4_000 }).toBe(1)
  expect(clock.agrees()).toBe(true)
  clock.takeReading?.(clock.now() + 5_000, performance.now())
  expect(clock.agrees()).toBe(false)
})
