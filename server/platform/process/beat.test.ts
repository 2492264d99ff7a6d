import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { after, onBeat, wokeForFrame } from './beat.ts'
import { createLog } from './log.ts'
import { startLoop } from './loop.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function countBeats() {
  const beats = vi.fn()
  onTestFinished(onBeat(beats))
  return beats
}

test('comes about once a second without frames, for all listeners at the same time', () => {
  const times: number[][] = [[], []]
  for (const list of times) onTestFinished(onBeat(() => list.push(performance.now())))
  vi.advanceTimersByTime(10_000)
  expect(times[0]!.length).toBeGreaterThanOrEqual(9)
  expect(times[0]!.length).toBeLessThanOrEqual(10)
  expect(times[1]).toEqual(times[0])
})

test.each([250, 500, 1_000])('comes with a frame while there is one every %i ms', (everyMs) => {
  const beats = countBeats()
  let frames = 0
  let withFrame = 0
  for (let ms = 0; ms < 20_000; ms += everyMs) {
    vi.advanceTimersByTime(everyMs)
    const before = beats.mock.calls.length
    wokeForFrame()
    frames++
    withFrame += beats.mock.calls.length - before
  }
  expect(frames).toBe(20_000 / everyMs)
  // All but the first, which has its own timer.
  expect(beats.mock.calls.length - withFrame).toBeLessThanOrEqual(1)
  expect(beats.mock.calls.length).toBeGreaterThanOrEqual(19)
  expect(beats.mock.calls.length).toBeLessThanOrEqual(21)
})

test('frames in quick succession are one beat', () => {
  const beats = countBeats()
  vi.advanceTimersByTime(990)
  for (let frame = 0; frame < 50; frame++) wokeForFrame()
  expect(beats).toHaveBeenCalledTimes(1)
})

test('a listener that has left is not called, and the last one takes the timer with it', () => {
  const beats = vi.fn()
  const leave = onBeat(beats)
  leave()
  expect(vi.getTimerCount()).toBe(0)
  wokeForFrame()
  vi.advanceTimersByTime(5_000)
  expect(beats).not.toHaveBeenCalled()
})

test.each([10, 999, 1_000, 2_000, 60_000])(
  'work after %i ms is at most 600 ms early or late, and happens once',
  (ms) => {
    countBeats()
    vi.advanceTimersByTime(400)
    const startedAt = performance.now()
    const work = vi.fn(() => performance.now() - startedAt)
    after(ms, work)
    vi.advanceTimersByTime(2 * ms + 2_000)
    expect(work).toHaveBeenCalledTimes(1)
    expect(Math.abs(work.mock.results[0]!.value - ms)).toBeLessThanOrEqual(ms < 1_000 ? 1 : 600)
  },
)

test.each([10, 2_000])('work after %i ms can be cancelled', (ms) => {
  const work = vi.fn()
  after(ms, work)()
  vi.advanceTimersByTime(ms * 3)
  expect(work).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

test('loops with long pauses work with the beat, wherever they began', async () => {
  const beats: number[] = []
  onTestFinished(onBeat(() => beats.push(performance.now())))
  const times: number[][] = [[], [], []]
  for (const [index, list] of times.entries()) {
    await vi.advanceTimersByTimeAsync(170)
    const loop = startLoop(`loop ${index}`, 2_000, createLog('silent'), async () => void list.push(performance.now()))
    onTestFinished(() => loop.stop())
  }
  await vi.advanceTimersByTimeAsync(20_000)
  for (const list of times) {
    // The first round is at the loop's start.
    expect(list.length).toBeGreaterThan(8)
    expect(beats).toEqual(expect.arrayContaining(list.slice(1)))
  }
})
