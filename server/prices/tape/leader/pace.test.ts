import { expect, onTestFinished, test, vi } from 'vitest'
import type { Clock } from '../../../platform/process/clock.ts'
import type { Memory } from '../memory/memory.ts'
import { createPace } from './pace.ts'

test('a tape that is five minutes ahead of a clock that was set back meets it again', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const start = 1_790_000_000_000
  const head = { n: 1, t: start + 300_000 }
  const clock = { now: () => start + Math.floor(performance.now()) } as Clock
  const memory = { head: () => head } as unknown as Memory
  const pace = createPace({ memory, clock, mayLead: true, isQuiet: undefined })
  let seconds = 0
  while (head.t > clock.now() && seconds < 10_000) {
    const before = head.t
    pace.tapeNow()
    vi.advanceTimersByTime(1_000)
    head.t = pace.tapeNow()
    head.n++
    seconds++
    if (head.t > clock.now()) expect(head.t - before, 'within a tenth of its pace').toBeGreaterThanOrEqual(899)
  }
  expect(seconds).toBeLessThan(3_010)
  vi.advanceTimersByTime(1_000)
  expect(pace.tapeNow()).toBe(clock.now())
})
