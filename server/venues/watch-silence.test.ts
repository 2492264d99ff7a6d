import { expect, test, vi } from 'vitest'
import { watchSilence } from './watch-silence.ts'

test('counts the silence in rounds, from the last sign of life', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  let heardAt = performance.now()
  const rounds: number[] = []
  const end = watchSilence(
    1_000,
    () => heardAt,
    (silentMs) => rounds.push(silentMs),
  )
  vi.advanceTimersByTime(2_000)
  expect(rounds).toEqual([1_000, 2_000])
  vi.advanceTimersByTime(300)
  heardAt = performance.now()
  vi.advanceTimersByTime(1_700)
  expect(rounds.slice(2)).toEqual([700, 1_700])
  end()
  vi.advanceTimersByTime(10_000)
  expect(rounds).toHaveLength(4)
  vi.useRealTimers()
})

test('a pause of this process is no silence of the exchange', async () => {
  const heardAt = performance.now()
  const rounds: number[] = []
  const end = watchSilence(
    20,
    () => heardAt,
    (silentMs) => rounds.push(silentMs),
  )
  // Busy for ten rounds: nothing is read meanwhile.
  while (performance.now() - heardAt < 200);
  await expect.poll(() => rounds.length, { interval: 1 }).toBeGreaterThan(0)
  end()
  expect(rounds[0]).toBe(20)
})
