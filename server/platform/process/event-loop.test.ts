import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { watchEventLoop } from './event-loop.ts'

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
  const eventLoop = watchEventLoop({ windowMs: 500 })
  onTestFinished(() => eventLoop.stop())
  await sleep(1_700)
  block(1_300)
  await expect.poll(() => eventLoop.isLate(), { interval: 20 }).toBe(true)
})

test('reports what blocked the event loop at the end of a window', async () => {
  const eventLoop = watchEventLoop({ windowMs: 1_000 })
  onTestFinished(() => eventLoop.stop())
  await workUntil(performance.now() + 990)
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
