import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { watchEventLoop } from './event-loop.ts'

/** Longer than any delay here, so that none lasts from one end to the next. */
const WINDOW_MS = 1_500

/** Keeps the event loop busy, like a long computation. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Works in small pieces, so that the process isn't idle. */
async function workUntil(end: number): Promise<void> {
  while (performance.now() < end) {
    block(2)
    await sleep(3)
  }
}

test('reports a blocked event loop, and forgets it two windows later', async () => {
  const eventLoop = watchEventLoop({ windowMs: 5_000 })
  onTestFinished(() => eventLoop.stop())
  // It looks every 50 ms, on a busy machine later.
  await sleep(200)
  expect(eventLoop.isLate()).toBe(false)
  block(1_300)
  await expect.poll(() => eventLoop.lagMs(), { interval: 20 }).toBeGreaterThan(1_000)
  expect(eventLoop.isLate()).toBe(true)
  await expect.poll(() => eventLoop.isLate()).toBe(false)
})

test('reports a blocked event loop after it was idle', async () => {
  const eventLoop = watchEventLoop({ windowMs: WINDOW_MS })
  onTestFinished(() => eventLoop.stop())
  await sleep(3 * WINDOW_MS + 200)
  block(1_300)
  await expect.poll(() => eventLoop.isLate(), { interval: 20 }).toBe(true)
})

test('reports a blocked event loop after it became idle', async () => {
  const eventLoop = watchEventLoop({ windowMs: WINDOW_MS })
  onTestFinished(() => eventLoop.stop())
  const began = performance.now()
  // The second window is a busy one, the third is idle, and the fourth ends while the loop is blocked.
  await workUntil(began + 1.8 * WINDOW_MS)
  await sleep(began + 3.5 * WINDOW_MS - performance.now())
  block(1_300)
  await expect.poll(() => eventLoop.isLate(), { interval: 20 }).toBe(true)
})

test('reports what blocked the event loop at the end of a window', async () => {
  const eventLoop = watchEventLoop({ windowMs: WINDOW_MS })
  onTestFinished(() => eventLoop.stop())
  await workUntil(performance.now() + WINDOW_MS - 10)
  block(1_300)
  await expect.poll(() => eventLoop.isLate(), { interval: 20 }).toBe(true)
})

test('forgets what blocked the event loop during the start, and reports what blocks it later', async () => {
  const eventLoop = watchEventLoop({ windowMs: 10_000 })
  onTestFinished(() => eventLoop.stop())
  await sleep(200)
  block(1_300)
  await expect.poll(() => eventLoop.isLate(), { interval: 20 }).toBe(true)
  eventLoop.forget()
  await sleep(60)
  expect(eventLoop.isLate()).toBe(false)
  block(1_300)
  await expect.poll(() => eventLoop.isLate(), { interval: 20 }).toBe(true)
})
