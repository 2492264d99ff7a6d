import { describe, expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { filterOf, NO_FILTER, queryOfFilter, tradeQueryOf } from '#web/api/index.ts'
import { mergeLive } from './use-trade-pages.ts'

const trade = (trade_id: string, more: Partial<Trade> = {}) =>
  ({
    trade_id,
    status: 'Pending',
    symbol: 'BCHBTC',
    side: 'Buy',
    trade_time: '2026-01-15T12:00:00.000Z',
    ...more,
  }) as Trade
const everything = NO_FILTER
const ids = (list: readonly Trade[]) => list.map((one) => one.trade_id)

describe('pages merged with live changes', () => {
  const pages = [trade('D'), trade('C')]

  test('puts a new trade on top and updates a settled one in place', () => {
    const list = mergeLive(pages, [trade('E'), trade('C', { status: 'Won' })], everything, false)
    expect(list.map((one) => [one.trade_id, one.status])).toEqual([
      ['E', 'Pending'],
      ['D', 'Pending'],
      ['C', 'Won'],
    ])
  })
  test('an older trade waits for its page', () => {
    expect(ids(mergeLive(pages, [trade('A')], everything, true))).toEqual(['D', 'C'])
    expect(ids(mergeLive(pages, [trade('A')], everything, false))).toEqual(['D', 'C', 'A'])
  })
  test("removes trades that no longer match the filter, and ignores those that don't", () => {
    const pending = { ...everything, status: 'Pending' } as const
    expect(ids(mergeLive(pages, [trade('C', { status: 'Lost' })], pending, false))).toEqual(['D'])
    const later = { ...everything, from: '2026-01-20' }
    expect(ids(mergeLive(pages, [trade('E', { trade_time: '2026-01-21T12:00:00.000Z' })], later, false))).toEqual(['E'])
    expect(ids(mergeLive([], [trade('E', { side: 'Sell' })], { ...everything, side: 'Buy' }, false))).toEqual([])
  })
})

test('keeps the filter in the URL and ignores unknown values', () => {
  const filter = { status: 'Won', symbol: 'ETHUSDT', side: 'Sell', from: '2026-01-01', to: '2026-01-31' } as const
  expect(filterOf(queryOfFilter(filter))).toEqual(filter)
  expect(queryOfFilter(everything).toString()).toBe('')
  expect(filterOf(new URLSearchParams('status=Rich&side=Both&symbol=&from=2026-02-30&to=yesterday'))).toEqual(
    everything,
  )
})

test("a day is the reader's: from its start until the start of the day after the last one", () => {
  const days = { ...everything, from: '2026-03-29', to: '2026-03-29' }
  expect(tradeQueryOf('demo', days)).toEqual({
    mode: 'demo',
    from: String(new Date(2026, 2, 29).getTime()),
    until: String(new Date(2026, 2, 30).getTime()),
  })
  expect(tradeQueryOf('real', { ...everything, status: 'Won', side: 'Buy' })).toEqual({
    mode: 'real',
    status: 'Won',
    trade_mode: 'Buy',
  })
})
