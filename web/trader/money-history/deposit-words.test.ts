import { expect, test } from 'vitest'
import { coinHeadOf, coinsOf, methodOf } from './deposit-words.ts'

test('coin amounts have their own unit, and card deposits none', () => {
  expect(coinsOf({ coin_amount: 0.00161837, currency: 'BTC' })).toBe('0.00161837 BTC')
  expect(coinsOf({ coin_amount: 0.5, currency: 'ETH' })).toBe('0.5 ETH')
  expect(coinsOf({ coin_amount: null, currency: null })).toBe('–')
})

test('names the method as the deposit screen does', () => {
  expect(methodOf({ method: 'crypto', currency: 'ETH' })).toBe('Ethereum wallet')
  expect(methodOf({ method: 'crypto', currency: 'BTC' })).toBe('Bitcoin wallet')
  expect(methodOf({ method: 'card', currency: null })).toBe('Card')
})

test("titles the coin column 'Amount in BTC' unless a row has another coin", () => {
  expect(coinHeadOf([])).toBe('Amount in BTC')
  expect(coinHeadOf([{ currency: 'BTC' }, { currency: null }])).toBe('Amount in BTC')
  expect(coinHeadOf([{ currency: 'BTC' }, { currency: 'ETH' }])).toBe('Amount in coin')
})
