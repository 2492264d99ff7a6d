import { expect, test } from 'vitest'
import type { PriceListDocument } from '#contract/trading/offers.ts'
import { cellsOf, whenText } from './odds-words.ts'

const DOCUMENT: PriceListDocument = {
  lists: [
    { name: 'Standard', pairs: ['75/3'] },
    { name: 'Night', pairs: ['50/50'] },
    { name: 'Spare', pairs: ['60/60'] },
  ],
  rules: [
    { symbols: ['BTCUSDT'], group: null, durations: [60, 86_400], days: [6], from_hour: 22, to_hour: 6, list: 2 },
    {
      symbols: [],
      group: 'Currencies',
      durations: [],
      days: [0, 1, 2, 3, 4, 5, 6],
      from_hour: 0,
      to_hour: 24,
      list: 1,
    },
  ],
}

test('a list says where and when it applies, with the place of each rule', () => {
  expect(whenText(DOCUMENT, 1)).toBe('2. Currencies · Everything else')
  expect(whenText(DOCUMENT, 2)).toBe('1. BTCUSDT, 1 min, 1 day, on Saturdays, 22:00 to 06:00 UTC')
  expect(whenText(DOCUMENT, 3)).toBeUndefined()
  expect(whenText({ ...DOCUMENT, rules: [] }, 1)).toBe('Everywhere, at all times')
})

test('a pair says what each side wins, and how often it must win', () => {
  expect(cellsOf('75/3')).toEqual(['75/3', '75%', '3%', '57.1%', '97.1%'])
})
