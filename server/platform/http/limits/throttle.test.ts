import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { throttle } from './throttle.ts'

test('starts a few requests per event loop turn, in order, and rejects beyond the queue limit', async () => {
  const pass = throttle(2, 5)
  const begun: number[] = []
  const all = [0, 1, 2, 3, 4].map((n) => pass().then(() => begun.push(n)))
  expect(() => pass()).toThrow("We're busy right now.")
  const seen: number[] = []
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn()
    seen.push(begun.length)
  }
  expect(Math.max(...seen.map((count, turn) => count - (seen[turn - 1] ?? 0)))).toBeLessThanOrEqual(2)
  await Promise.all(all)
  expect(begun).toEqual([0, 1, 2, 3, 4])
})
