import { expect, test } from 'vitest'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import { mostPercent } from './use-offered.ts'

const at = (duration: number): PriceListDocument => ({
  lists: [
    { name: 'Standard', pairs: ['62/21', '40/40'] },
    { name: 'Even', pairs: ['5/90'] },
  ],
  rules: [
    {
      symbols: ['BTCUSDT'],
      group: null,
      durations: [duration],
      days: [...EVERY_DAY],
      from_hour: 3,
      to_hour: 4,
      list: 2,
    },
  ],
})

test('the most that an automatic trade pays is that of any list that applies to it at some time', () => {
  const most = (...documents: PriceListDocument[]) =>
    mostPercent({ versions: documents.map((document, n) => ({ version: n + 1, from: null, document })), history: [] })
  expect(most(at(300))).toBe(90)
  expect(most(at(86_400)), 'no strategy has signals for a day').toBe(62)
  expect(most(at(86_400), at(300)), 'by the next version, too').toBe(90)
})
