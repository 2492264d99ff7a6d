import { expect, test } from 'vitest'
import type { StakeLimits } from '#contract/trading/trading.ts'
import { stakeMaxOf, stakeMaxWords } from './stake-max.ts'

const LIMITS = { stake_max: 10_000, open_stake_max: 50_000, open_stake: 0, symbol_room: null }

test('without limits the balance is the largest stake', () => {
  expect(stakeMaxOf(98_765_432.1, undefined)).toEqual({ stake: 98_765_432.1, binds: 'balance' })
})

test('uses the smallest limit', () => {
  expect(stakeMaxOf(10_000, LIMITS)).toEqual({ stake: 10_000, binds: 'balance' })
  expect(stakeMaxOf(10_000.01, LIMITS)).toEqual({ stake: 10_000, binds: 'trade' })
  const open = { ...LIMITS, open_stake: 49_999.9 }
  expect(stakeMaxOf(10_000, open)).toEqual({ stake: 0.1, binds: 'open stakes' })
  expect(stakeMaxOf(10_000, { ...LIMITS, open_stake: 60_000 })).toEqual({ stake: 0, binds: 'open stakes' })
  expect(stakeMaxOf(10_000, { ...LIMITS, symbol_room: 250 })).toEqual({ stake: 250, binds: 'symbol' })
})

test('names the limit, with separators', () => {
  const words = (balance: number, limits: StakeLimits = LIMITS) => stakeMaxWords(stakeMaxOf(balance, limits), limits)
  expect(words(1_234.5)).toBe('Available $1,234.50')
  expect(words(98_765_432)).toBe('Max $10,000.00 a trade')
  expect(words(98_765_432, { ...LIMITS, stake_max: 12.5, thin_market: true })).toBe('Max $12.50: thin market')
  expect(words(98_765_432, { ...LIMITS, open_stake: 45_000 })).toBe('Max $5,000.00: open stakes limit')
})
