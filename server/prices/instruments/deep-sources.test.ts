import { expect, test } from 'vitest'
import { createDeepSources } from './deep-sources.ts'

test('the number of deep sources falls at once, and rises to the fewest of five seconds', () => {
  const sources = createDeepSources()
  expect(sources.of('BTCUSD')).toBeUndefined()
  const see = (count: number, now: number) => {
    sources.see('BTCUSD', count, now)
    return sources.of('BTCUSD')
  }
  expect(see(2, 0)).toBe(2)
  expect(see(4, 250)).toBe(2)
  expect(see(4, 4_999)).toBe(2)
  expect(see(4, 5_000)).toBe(3)
  expect(see(1, 5_250)).toBe(1)
  expect(see(3, 6_000)).toBe(1)
  expect(see(2, 7_000)).toBe(1)
  expect(see(3, 10_250)).toBe(2)
  // One that comes and goes never counts.
  for (let now = 10_500; now < 60_000; now += 250) expect(see(now % 4_000 === 0 ? 2 : 3, now)).toBe(2)
})
