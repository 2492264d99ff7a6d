import { describe, expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { allRows, closedRows, firstTab, openRows, sumsOf } from './dock-trades.ts'

const NOW = Date.UTC(2026, 0, 2, 12)
const MINUTE = 60_000
const iso = (ms: number) => new Date(ms).toISOString()
/** A trade that ends that many minutes from now. */
const trade = (trade_id: string, minutes: number, more: Partial<Trade> = {}): Trade => ({
  trade_id,
  symbol: 'BCHBTC',
  trading_type: 'Cryptocurrency',
  side: 'Buy',
  mode: 'demo',
  stake: 100,
  strike_rate: '75/3',
  percent: 75,
  duration: 60,
  status: minutes > 0 ? 'Pending' : 'Won',
  trade_time: iso(NOW + (minutes - 1) * MINUTE),
  entry_price: 10,
  end_time: iso(NOW + minutes * MINUTE),
  ...(minutes > 0 ? {} : { settled_at: iso(NOW + minutes * MINUTE) }),
  rule_version: 'FT-1',
  ...more,
})
const ids = (rows: readonly Trade[]) => rows.map(({ trade_id }) => trade_id).join('')

// Newest first, as the list arrives.
const trades = [trade('F', 5), trade('E', 1), trade('D', -0.5), trade('C', -2), trade('B', -3), trade('A', -60 * 24)]

test('open trades by their end, after those that ended within the last minute', () => {
  expect(ids(openRows(trades, NOW))).toBe('DEF')
  expect(ids(openRows(trades, NOW + MINUTE / 2))).toBe('EF')
})

test('closed today: since the start of the day, the latest end first', () => {
  expect(ids(closedRows(trades, NOW - 12 * 60 * MINUTE))).toBe('DCB')
})

test('a trade sold before its end was closed then', () => {
  const sold = trade('S', 60, { status: 'Sold', exit_time: iso(NOW - 60 * 13 * MINUTE) })
  expect(ids(closedRows([sold], NOW - 12 * 60 * MINUTE))).toBe('')
  expect(ids(closedRows([sold, ...trades], NOW - 14 * 60 * MINUTE))).toBe('DCBS')
})

test('all: open trades first, then as placed', () => {
  expect(ids(allRows(trades))).toBe('EFDCBA')
})

test.each([
  ['open', [trade('A', 1)], [trade('B', -1)]],
  ['closed', [], [trade('B', -1)]],
  ['all', [], []],
])('begins with the tab %s', (tab, open, closed) => {
  expect(firstTab(open, closed)).toBe(tab)
})

describe('the sums of open trades', () => {
  const priceOf = (symbol: string) => (symbol === 'BCHBTC' ? '11' : undefined)
  test.each<[what: string, trades: Trade[], sums: ReturnType<typeof sumsOf>]>([
    ['none', [], { count: 0, atRisk: 0, ifEndedNow: undefined }],
    [
      'won and lost, without settled ones',
      [trade('A', 1), trade('B', 1, { side: 'Sell', stake: 0.1 }), trade('C', -1)],
      { count: 2, atRisk: 100.1, ifEndedNow: 74.9 },
    ],
    [
      'without a price, only the risk',
      [trade('A', 1, { symbol: 'ETHUSDT' })],
      { count: 1, atRisk: 100, ifEndedNow: undefined },
    ],
  ])('%s', (_, rows, sums) => {
    expect(sumsOf(rows, priceOf)).toEqual(sums)
  })
})
