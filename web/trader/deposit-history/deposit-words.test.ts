import { expect, test } from 'vitest'
import { coinHeadOf, coinsOf, methodOf } from './deposit-words.ts'

test('coins carry their own unit, and a card has none', () => {
  expect(coinsOf({ coin_amount: 0.00161837, currency: 'BTC' })).toBe('0.00161837 BTC')
  expect(coinsOf({ coin_amount: 0.5, currency: 'ETH' })).toBe('0.5 ETH')
  expect(coinsOf({ coin_amount: null, currency: null })).toBe('–')
})

test('the method is named as the deposit screen names it', () => {
  expect(methodOf({ method: 'crypto', currency: 'ETH' })).toBe('Ethereum wallet')
  expect(methodOf({ method: 'crypto', currency: 'BTC' })).toBe('Bitcoin wallet')
  expect(methodOf({ method: 'card', currency: null })).toBe('Card')
})

test("the coins' column is titled 'Amount in BTC' unless a row is of another coin", () => {
  expect(coinHeadOf([])).toBe('Amount in BTC')
  expect(coinHeadOf([{ currency: 'BTC' }, { currency: null }])).toBe('Amount in BTC')
  expect(coinHeadOf([{ currency: 'BTC' }, { currency: 'ETH' }])).toBe('Amount in coin')
})
