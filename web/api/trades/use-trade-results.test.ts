import { expect, test } from 'vitest'
import type { TradeResults } from '#contract/trading/trading.ts'
import { settledCountOf, withoutSold } from './use-trade-results.ts'

const RESULTS: TradeResults = {
  ...{ open: 100, won: 1, lost: 2, draw: 4, void: 8, sold: 16 },
  ...{ staked: 0, paid: 0, net: 0, curve: [] },
}

test('every trade that has ended counts as settled, also one that was sold', () => {
  expect(settledCountOf(RESULTS)).toBe(31)
})

test('a hit rate says how many sold trades it leaves out, if any', () => {
  expect(withoutSold({ sold: 1_234 })).toBe(', without 1,234 sold')
  expect(withoutSold({ sold: 0 })).toBe('')
})
