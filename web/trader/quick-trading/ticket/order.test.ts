import { describe, expect, test } from 'vitest'
import { STRIKE_RATES, type StrikeChoice, type StrikeRate } from '#contract/terms.ts'
import {
  bodyOf,
  type OfferedOrder,
  oddsToRepeat,
  orderProblems,
  payoutOf,
  scaledStake,
  shownStake,
  stakeProblem,
  stepStake,
  withOffered,
} from './order.ts'

const order: OfferedOrder = {
  trading_type: 'Cryptocurrency',
  symbol: 'BCHBTC',
  duration: 60,
  strike_rate: '75/3',
  stake: '100',
  offered: STRIKE_RATES,
  instead: undefined,
}
const pair = (strike_rate: StrikeChoice, offered: readonly StrikeRate[] = STRIKE_RATES) => ({ strike_rate, offered })

describe('what an order pays', () => {
  test('is the stake times the percentage of its side', () => {
    expect(payoutOf(pair('75/3'), 'Buy', 100)).toMatchObject({ percent: 75, profit: 75, payout: 175 })
    expect(payoutOf(pair('75/3'), 'Sell', 100)).toMatchObject({ percent: 3, profit: 3, payout: 103 })
    expect(payoutOf(pair('1/61'), 'Sell', 250.5)).toMatchObject({ profit: 152.81, payout: 403.31 })
  })
  test('breaks even at 57.1% where 75% is paid', () => {
    expect(payoutOf(pair('75/3'), 'Buy', 100).breakEvenPercent).toBeCloseTo(57.142857, 5)
    expect(payoutOf(pair('1/61'), 'Buy', 100).breakEvenPercent).toBeCloseTo(99.009901, 5)
  })
  test('is the pair that pays each side most, unless the trader chose one', () => {
    expect(payoutOf(pair('best'), 'Buy', 100)).toMatchObject({ percent: 75, profit: 75 })
    expect(payoutOf(pair('best'), 'Sell', 100)).toMatchObject({ percent: 61, profit: 61 })
    expect(bodyOf({ ...order, strike_rate: 'best' }, 'Buy', 'demo', 500).strike_rate).toBe('75/3')
    expect(bodyOf({ ...order, strike_rate: 'best' }, 'Sell', 'demo', 500).strike_rate).toBe('1/61')
  })
  test('is nothing for an invalid stake', () => {
    expect(payoutOf(pair('75/3'), 'Buy', Number.NaN)).toMatchObject({ profit: 0, payout: 0 })
    expect(payoutOf(pair('75/3'), 'Buy', -5).profit).toBe(0)
  })
})

describe('a stake', () => {
  test.each([
    ['', 'must not be empty'],
    ['  ', 'must not be empty'],
    ['ten', 'must be an amount such as 12.50'],
    ['1e2', 'must be an amount such as 12.50'],
    ['0,9', 'must be at least 1'],
    ['12,500', 'can mean thousands or decimals. Write 12500 or 12,500.00'],
    ['600,50', 'is above your balance of $500.00'],
    ['0', 'must be at least 1'],
    ['0.99', 'must be at least 1'],
    ['-5', 'must not be negative'],
    ['12.3456', 'must be an amount with at most two decimals'],
    ['500.01', 'is above your balance of $500.00'],
  ])('%j %s', (typed, message) => {
    expect(stakeProblem(typed, 500)).toBe(message)
  })
  test.each(['1', '1.5', '1,5', '12.34', '12,34', '500', '499.99', '5.', '$5'])('accepts %s', (typed) => {
    expect(stakeProblem(typed, 500)).toBeUndefined()
  })
  test('steps by 120 from any value, not below 1', () => {
    expect(stepStake('100', 1)).toBe('220')
    expect(stepStake('220.55', -1)).toBe('100.55')
    expect(stepStake('100', -1)).toBe('1')
    expect(stepStake('', 1)).toBe('120')
    expect(stepStake('12,50', 1)).toBe('132.5')
    expect(stepStake('12,500', 1)).toBe('12,500')
  })
  test('moves on the phone by a scale, from any value', () => {
    expect(scaledStake('100', 1)).toBe(250)
    expect(scaledStake('99.5', 1)).toBe(100)
    expect(scaledStake('100', -1)).toBe(50)
    expect(scaledStake('1', -1)).toBeUndefined()
    expect(scaledStake('10000', 1)).toBeUndefined()
    expect(scaledStake('ten', 1)).toBe(1)
  })
  test('starts within the balance', () => {
    expect(shownStake({ stake: undefined }, 10_000)).toBe('100')
    expect(shownStake({ stake: undefined }, 40.5)).toBe('40.5')
    expect(shownStake({ stake: '' }, 10_000)).toBe('')
    expect(shownStake({ stake: undefined, lastStake: 250 }, 10_000)).toBe('250')
    expect(shownStake({ stake: undefined, lastStake: 250 }, 40.5)).toBe('40.5')
  })
})

test('every field is required', () => {
  expect(orderProblems(order, 500)).toEqual({})
  const empty = {
    ...order,
    trading_type: '',
    symbol: '',
    duration: 0,
    strike_rate: '',
    stake: '',
  } as unknown as OfferedOrder
  expect(orderProblems(empty, 500)).toEqual({
    trading_type: 'must not be empty',
    symbol: 'must not be empty',
    duration: 'must not be empty',
    strike_rate: 'must not be empty',
    stake: 'must not be empty',
  })
})

test('sends the stake that was meant', () => {
  for (const [typed, amount] of [
    ['12,50', 12.5],
    ['1,500.00', 1_500],
    ['1 500', 1_500],
  ] as const)
    expect(bodyOf({ ...order, stake: typed }, 'Buy', 'demo', 5_000).amount).toBe(amount)
})

test('sends choices only', () => {
  expect(bodyOf(order, 'Sell', 'demo', 500)).toEqual({
    symbol: 'BCHBTC',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Sell',
    amount: 100,
    duration: 60,
    strike_rate: '75/3',
    mode: 'demo',
  })
})

describe('an order whose pair is not offered', () => {
  test('uses the best of each side that is offered, and keeps what was chosen', () => {
    const offered = ['40/40', '60/10'] as const
    const best = withOffered(order, offered)
    expect(best).toMatchObject({ strike_rate: 'best', instead: '75/3', offered })
    expect(payoutOf(best, 'Buy', 100).percent).toBe(60)
    expect(payoutOf(best, 'Sell', 100).percent).toBe(40)
    expect(bodyOf(best, 'Sell', 'demo', 500).strike_rate).toBe('40/40')
  })
  test('is as it was chosen once it is offered again', () => {
    expect(withOffered(order, ['75/3'])).toMatchObject({ strike_rate: '75/3', instead: undefined })
    expect(withOffered({ ...order, strike_rate: 'best' }, ['1/61'])).toMatchObject({
      strike_rate: 'best',
      instead: undefined,
    })
  })
})

describe('the odds that repeat a trade', () => {
  const trade = { side: 'Buy', percent: 62, strike_rate: '62/21' } as const
  test('are the best of its side where the trade has these', () => {
    expect(oddsToRepeat(trade, ['62/21', '40/40'])).toBe('best')
    expect(oddsToRepeat({ ...trade, side: 'Sell', percent: 21 }, ['62/21', '40/40'])).toBe('62/21')
  })
  test('are those of its pair where another one pays more, or none pays as much', () => {
    expect(oddsToRepeat(trade, STRIKE_RATES)).toBe('62/21')
    expect(oddsToRepeat({ side: 'Buy', percent: 75, strike_rate: '75/3' }, ['62/21', '40/40'])).toBe('75/3')
  })
})
