import { expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { isForSale, minimumOf, quoteOf } from './sale-quote.ts'

const PLACED = Date.parse('2026-11-26T09:30:00.000Z')
const trade = {
  status: 'Pending',
  side: 'Buy',
  stake: 100,
  percent: 75,
  entry_price: 0.00699955,
  trade_time: new Date(PLACED).toISOString(),
  end_time: new Date(PLACED + 300_000).toISOString(),
  sale_rule: 'SE-1',
} as Trade
const VARIANCE = 250_000_000_000

test('a trade that is ahead is worth more than half of its payout less the fee, one behind less', () => {
  const at = PLACED + 60_000
  expect(quoteOf(trade, '0.00699955', at, VARIANCE)).toEqual({ value: 8_050, fee: 700 })
  expect(quoteOf(trade, '0.00700655', at, VARIANCE)).toHaveProperty(
    'value',
    expect.toSatisfy((value: number) => value > 12_000),
  )
  expect(quoteOf({ ...trade, side: 'Sell' }, '0.00700655', at, VARIANCE)).toHaveProperty(
    'value',
    expect.toSatisfy((value: number) => value < 5_000),
  )
})

test('it says why it has no price before its entry, in its first and last ten seconds, without a variance or terms', () => {
  const price = '0.00699955'
  const why = (of: Partial<Trade>, at: number, variance: number | undefined = VARIANCE) => {
    const quote = quoteOf({ ...trade, ...of }, price, PLACED + at, variance)
    return 'label' in quote ? [quote.label, quote.reason] : quote
  }
  expect(why({ entry_price: undefined }, 60_000)).toEqual(['Not for sale', 'Its entry is not known yet.'])
  expect(why({}, 0)).toEqual(['Sell in 10 s', 'Not in its first 10 seconds.'])
  expect(why({}, 9_999)).toEqual(['Sell in 1 s', 'Not in its first 10 seconds.'])
  expect(why({}, 10_000)).toHaveProperty('value')
  expect(why({}, 290_000)).toHaveProperty('value')
  expect(why({}, 290_001)).toEqual(['Not for sale', 'Not in its last 10 seconds.'])
  expect(quoteOf(trade, price, PLACED + 60_000, undefined)).toEqual({
    label: 'Not for sale',
    reason: 'Its symbol has had too few prices for a value.',
  })
  expect(why({ sale_rule: undefined }, 60_000)).toEqual(['Not for sale', 'It was placed before trades could be sold.'])
  expect(quoteOf(trade, '0.00600000', PLACED + 60_000, 1)).toEqual({
    label: 'Not for sale',
    reason: 'It is worth nothing now, after the fee.',
  })
})

test('only an open trade with terms is for sale', () => {
  expect(isForSale(trade)).toBe(true)
  expect(isForSale({ ...trade, status: 'Won' })).toBe(false)
  expect(isForSale({ ...trade, sale_rule: undefined })).toBe(false)
  expect(isForSale({ ...trade, sale_rule: 'SE-9' })).toBe(false)
})

test('the minimum is the value less the slippage, and never nothing', () => {
  expect(minimumOf(8_405, 3)).toBe(8_152)
  expect(minimumOf(8_405, 0)).toBe(8_405)
  expect(minimumOf(1, 10)).toBe(1)
})
