import { expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { pictureWords } from './share-picture.ts'

const timeMs = Date.UTC(2026, 0, 1, 12)
const of = { symbol: 'BCHBTC', interval: '5s', scale: 8, source: 'simulation', trade: undefined, timeMs } as const
const trade = {
  trade_id: 'A',
  side: 'Buy',
  stake: 4_321,
  payout: 7_561.75,
  status: 'Won',
  entry_price: 0.0042,
  exit_price: 0.0043,
} as Trade

test('a picture names market, source and time, and the trade by its prices', () => {
  expect(pictureWords(of)).toEqual([expect.stringMatching(/^BCHBTC · 5s · Simulated prices · 2026-01-01/), ''])
  expect(pictureWords({ ...of, trade })[1]).toBe('Buy from 0.00420000 to 0.00430000 · Won')
  const { exit_price, ...open } = trade
  expect(pictureWords({ ...of, trade: open })[1]).toBe('Buy from 0.00420000')
})

test('it never says how much money there is', () => {
  expect(pictureWords({ ...of, trade }).join()).not.toMatch(/4,?321|7,?561/)
})
