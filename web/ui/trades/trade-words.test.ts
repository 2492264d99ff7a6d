import { describe, expect, test } from 'vitest'
import { ifEndedNow, profitOf, signedAmount, standingAt, statusWord, timeLeftWords, winOf } from './trade-words.ts'

describe('if it ended now', () => {
  const buy = { side: 'Buy', stake: 100, percent: 75, entry_price: 0.00699955 } as const

  test('a Buy wins above its entry and loses its stake below it', () => {
    expect(ifEndedNow(buy, '0.00699956')).toEqual({ standing: 'won', change: 75 })
    expect(ifEndedNow(buy, '0.00699954')).toEqual({ standing: 'lost', change: -100 })
  })
  test('a Sell is the other way round', () => {
    const sell = { ...buy, side: 'Sell', percent: 61 } as const
    expect(ifEndedNow(sell, '0.00699954')).toEqual({ standing: 'won', change: 61 })
    expect(ifEndedNow(sell, '0.00699956')).toEqual({ standing: 'lost', change: -100 })
  })
  test('the same price is a draw, also with other zeros at its end', () => {
    expect(ifEndedNow(buy, '0.006999550')).toEqual({ standing: 'draw', change: 0 })
    expect(standingAt('Sell', 1.1, 1.1)).toBe('draw')
  })
  test('is unknown before the entry or without a price', () => {
    expect(ifEndedNow({ ...buy, entry_price: undefined }, '1')).toBeUndefined()
    expect(ifEndedNow(buy, undefined)).toBeUndefined()
  })
})

describe('the profit of a win', () => {
  test('rounds half up to the cent', () => {
    expect(winOf(100, 75)).toBe(75)
    expect(winOf(12.5, 75)).toBe(9.38)
    expect(winOf(0.02, 75)).toBe(0.02)
    expect(winOf(1.1, 5)).toBe(0.06)
  })
  test("stays exact where a float wouldn't", () => {
    expect(winOf(1.15, 61)).toBe(0.7)
    expect(winOf(9999.99, 61)).toBe(6099.99)
  })
})

test('the profit of a settled trade is its payout without the stake', () => {
  expect(profitOf({ stake: 12.5, payout: 21.88 })).toBe(9.38)
  expect(profitOf({ stake: 100, payout: 0 })).toBe(-100)
  expect(profitOf({ stake: 100, payout: undefined })).toBeUndefined()
})

test('shows Pending as In Progress, and other statuses unchanged', () => {
  expect(statusWord('Pending')).toBe('In Progress')
  expect(statusWord('Void')).toBe('Void')
})

test('formats the time left', () => {
  expect(timeLeftWords(60_000)).toBe('1 minute')
  expect(timeLeftWords(42_400)).toBe('43 seconds')
  expect(timeLeftWords(65_000)).toBe('1 minute 5 seconds')
  expect(timeLeftWords(7_201_000)).toBe('2 hours 1 second')
  expect(timeLeftWords(86_400_000)).toBe('1 day')
  expect(timeLeftWords(-5)).toBe('ending now')
})

test('a change carries its sign', () => {
  expect([75, -100, 0, 1234.5].map(signedAmount)).toEqual(['+75.00', '−100.00', '0.00', '+1,234.50'])
})
