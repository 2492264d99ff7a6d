import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { onBeat } from './beat.ts'
import { watchEventLoop } from './event-loop.ts'

test('reports a blocked event loop, and forgets it two windows later', async () => {
  const eventLoop = watchEventLoop({ windowMs: 1_500 })
  onTestFinished(() => eventLoop.stop())
  await sleep(50)
  expect(eventLoop.isLate()).toBe(false)
  for (const until = performance.now() + 1_100; performance.now() < until; );
  await sleep(50)
  expect(eventLoop.lagMs()).toBeGreaterThan(1_000)
  expect(eventLoop.isLate()).toBe(true)
  await expect.poll(() => eventLoop.isLate()).toBe(false)
})

test('reports a blocked event loop after it was idle', async () => {
  const eventLoop = watchEventLoop({ windowMs: 500 })
  onTestFinished(() => eventLoop.stop())
  await sleep(1_700)
  for (const until = performance.now() + 1_300; performance.now() < until; );
  await sleep(50)
  expect(eventLoop.isLate()).toBe(true)
})

test('forgets what blocked the event loop during the start, and reports what blocks it later', async () => {
  const eventLoop = watchEventLoop({ windowMs: 10_000 })
  onTestFinished(() => eventLoop.stop())
  const block = () => {
    for (const until = performance.now() + 1_300; performance.now() < until; );
  }
  await sleep(60)
  block()
  await sleep(60)
  expect(eventLoop.isLate()).toBe(true)
  eventLoop.forget()
  await sleep(60)
  expect(eventLoop.isLate()).toBe(false)
  block()
  await sleep(60)
  expect(eventLoop.isLate()).toBe(true)
})

test('much work in small pieces after an idle time is no delay', async () => {
  const eventLoop = watchEventLoop({ windowMs: 3_000 })
  onTestFinished(() => eventLoop.stop())
  await sleep(3_100)
  const stopBeats = await new Promise<() => void>((resolve) => {
    const stop = onBeat(() => resolve(stop))
  })
  stopBeats()
  // All work before the next beat might have been one delay; after it, delays are measured.
  await sleep(500)
  for (const until = performance.now() + 2_000; performance.now() < until; ) {
    for (const piece = performance.now() + 5; performance.now() < piece; );
    await breathe()
  }
  expect(eventLoop.lagMs()).toBeLessThan(800)
})
