import { expect, test } from 'vitest'
import type { PriceComposition, PriceMember } from '#contract/prices/price-composition.ts'
import { ageText, percentText, verdictOf, whyOf } from './price-composition.ts'

const member = (name: string, standing: PriceMember['standing']): PriceMember => ({
  venue: name.toLowerCase(),
  name,
  market: 'BTC/USDT',
  standing,
  is_deep: standing === 'kept',
})
const pair = (members: PriceMember[], without?: 'sources' | 'disagree') => ({
  pair: 'BTC/USDT',
  members,
  ...(without ? { without } : {}),
})

test('a pair says whose median it is, and how many do not count', () => {
  const kept = ['Binance', 'Kraken', 'Coinbase'].map((name) => member(name, 'kept'))
  expect(verdictOf(pair(kept))).toBe('The median of Binance, Kraken, and Coinbase.')
  expect(verdictOf(pair([...kept.slice(0, 2), member('Bitstamp', 'outlier')]))).toBe(
    'The median of Binance and Kraken. One exchange doesn’t count right now.',
  )
  expect(verdictOf(pair([member('Bitstamp', 'silent')], 'sources'))).toMatch(/^Too few exchanges/)
  expect(verdictOf(pair(kept, 'disagree'))).toMatch(/don't agree/)
})

test('a symbol says what is special about it', () => {
  const composition = { source: 'live', status: 'open', pairs: [pair([])] } as unknown as PriceComposition
  expect(whyOf(composition, undefined)).toBe('')
  expect(whyOf({ ...composition, via: 'USD', pairs: [pair([]), { ...pair([]), pair: 'GBP/USD' }] }, undefined)).toBe(
    'Too few exchanges list this pair, so its price is BTC/USDT divided by GBP/USD.',
  )
  expect(whyOf({ ...composition, source: 'simulation' }, 'No exchange answers.')).toBe('No exchange answers.')
  expect(whyOf({ ...composition, source: 'replay' }, undefined)).toBe(
    'Prices are replayed on this installation, so there are no exchanges to show.',
  )
  expect(whyOf({ ...composition, status: 'unavailable', reason: 'Not listed.' }, undefined)).toBe('Not listed.')
})

test.each([
  [0, '0.000%'],
  [4.6, '+0.046%'],
  [-0.04, '0.000%'],
  [-120, '−1.200%'],
  [90_000, '+900%'],
  [9_999_999, '+999+%'],
])('%s hundredths of a percent is %s', (bps, text) => expect(percentText(bps)).toBe(text))

test.each([
  [-5, '0.0 s'],
  [3_249, '3.2 s'],
  [61_000, '1 min'],
  [7_300_000, '2 h'],
])('%s ms is %s', (ms, text) => expect(ageText(ms)).toBe(text))
