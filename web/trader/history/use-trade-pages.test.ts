import { describe, expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { filterOf, queryOfFilter } from './filter.ts'
import { laidOver } from './use-trade-pages.ts'

const trade = (trade_id: string, more: Partial<Trade> = {}) =>
  ({ trade_id, status: 'Pending', symbol: 'BCHBTC', side: 'Buy', ...more }) as Trade
const everything = { status: undefined, symbol: undefined, side: undefined }
const ids = (list: readonly Trade[]) => list.map((one) => one.trade_id)

describe('pages merged with live changes', () => {
  const pages = [trade('D'), trade('C')]

  test('puts a new trade on top and updates a settled one in place', () => {
    const list = laidOver(pages, [trade('E'), trade('C', { status: 'Won' })], everything, false)
    expect(list.map((one) => [one.trade_id, one.status])).toEqual([
      ['E', 'Pending'],
      ['D', 'Pending'],
      ['C', 'Won'],
    ])
  })
  test('an older trade waits for its page', () => {
    expect(ids(laidOver(pages, [trade('A')], everything, true))).toEqual(['D', 'C'])
    expect(ids(laidOver(pages, [trade('A')], everything, false))).toEqual(['D', 'C', 'A'])
  })
  test("removes trades that no longer match the filter, and ignores those that don't", () => {
    const pending = { ...everything, status: 'Pending' } as const
    expect(ids(laidOver(pages, [trade('C', { status: 'Lost' })], pending, false))).toEqual(['D'])
    expect(ids(laidOver([], [trade('E', { side: 'Sell' })], { ...everything, side: 'Buy' }, false))).toEqual([])
  })
})

test('keeps the filter in the URL and ignores unknown values', () => {
  const filter = { status: 'Won', symbol: 'ETHUSDT', side: 'Sell' } as const
  expect(filterOf(queryOfFilter(filter))).toEqual(filter)
  expect(queryOfFilter(everything).toString()).toBe('')
  expect(filterOf(new URLSearchParams('status=Rich&side=Both&symbol='))).toEqual(everything)
})
