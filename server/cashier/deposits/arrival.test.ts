import { expect, test } from 'vitest'
import { worth } from './arrival.ts'

test.each([
  ['1', '60000', 6_000_000n],
  ['0.00310534', '80506.39', 25_000n],
  ['0.00000001', '80506.39', 0n],
  ['0.5', '0.01', 1n],
  ['0.49999999', '0.01', 0n],
  ['100000000', '1.00', 10_000_000_000n],
])('%s coins at %s are %d cents', (coins, rate, cents) => {
  expect(worth(coins, rate)).toBe(cents)
})
