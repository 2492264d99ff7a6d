import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.resetModules()
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})
const clock = () => import('./tape-clock.ts')

test('is this machine’s clock until the first frame', async () => {
  const { tapeNow } = await clock()
  expect(tapeNow()).toBe(1_000_000)
})

test('a press has a time only once a frame has arrived', async () => {
  const { noteTapeTime, pressTime } = await clock()
  expect(pressTime()).toBeUndefined()
  noteTapeTime(1_002_000.5)
  expect(pressTime()).toBe(1_002_000)
})

test('follows the frame with the least delay', async () => {
  const { noteTapeTime, tapeNow } = await clock()
  noteTapeTime(1_002_000 - 300)
  noteTapeTime(1_002_000 - 20)
  noteTapeTime(1_002_000 - 900)
  // The estimate gives up one millisecond with each slower frame.
  expect(tapeNow()).toBe(1_002_000 - 21)
})

test('adopts a changed clock immediately', async () => {
  const { noteTapeTime, tapeNow } = await clock()
  noteTapeTime(1_000_000)
  vi.setSystemTime(1_600_000)
  noteTapeTime(1_001_000)
  expect(tapeNow()).toBe(1_001_000)
})
