import { describe, expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { LINGER_MS } from '../../dock/dock-trades.ts'
import { marksOf } from './marks.ts'

const endMs = Date.UTC(2026, 0, 1, 0, 1)
const open: Trade = {
  trade_id: 'A',
  symbol: 'BCHBTC',
  trading_type: 'Cryptocurrency',
  side: 'Buy',
  mode: 'demo',
  stake: 100,
  strike_rate: '75/3',
  percent: 75,
  duration: 60,
  status: 'Pending',
  trade_time: '2026-01-01T00:00:00.000Z',
  entry_time: '2026-01-01T00:00:00.250Z',
  entry_price: 10,
  end_time: new Date(endMs).toISOString(),
  rule_version: 'FT-1',
}

const known = (price: string) => ({ price, isLast: false })

describe('an open trade', () => {
  test('shows its current outcome and time left', () => {
    expect(marksOf([open], known('11'), endMs - 42_000)[0]).toMatchObject({
      standing: 'won',
      change: 75,
      words: '0:42',
      settled: false,
      entryPrice: 10,
      entryMs: endMs - 59_750,
    })
    expect(marksOf([open], known('9'), endMs - 42_000)[0]).toMatchObject({ standing: 'lost', change: -100 })
    expect(marksOf([{ ...open, side: 'Sell' }], known('10'), endMs - 1)[0]).toMatchObject({ change: 0, words: '0:01' })
  })
  test('does not count once prices have stopped', () => {
    expect(marksOf([open], { ...known('11'), isLast: true }, endMs - 42_000)[0]).toMatchObject({
      change: 75,
      words: 'last known',
    })
  })
  test('shows as entering until it has its entry', () => {
    const { entry_price, entry_time, ...entering } = open
    expect(marksOf([entering], known('11'), endMs - 59_000)[0]).toMatchObject({
      standing: 'entering',
      entryPrice: undefined,
      change: undefined,
      words: '0:59',
    })
  })
  test('shows as settling after its end', () => {
    expect(marksOf([open], known('11'), endMs)[0]?.words).toBe('settling')
  })
})

describe('a settled trade', () => {
  const settledAt = endMs + 900
  const settled: Trade = {
    ...open,
    status: 'Won',
    exit_price: 11,
    exit_time: '2026-01-01T00:00:59.900Z',
    payout: 175,
    settled_at: new Date(settledAt).toISOString(),
  }
  test('leaves a quiet mark that fades out', () => {
    expect(marksOf([settled], known('11'), settledAt)[0]).toMatchObject({
      words: 'Won +75.00',
      strength: 1,
      settled: true,
      endMs: endMs - 100,
    })
    expect(marksOf([settled], known('11'), settledAt + LINGER_MS - 10_000)[0]?.strength).toBe(0.5)
    expect(marksOf([settled], known('11'), settledAt + LINGER_MS + 1)).toEqual([])
  })
  test('stays while the trader has the chart show it', () => {
    const later = settledAt + LINGER_MS * 60
    expect(marksOf([settled], known('11'), later, 'A')[0]?.strength).toBe(1)
    expect(marksOf([settled], known('11'), later, 'B')).toEqual([])
  })
  test('shows a returned stake if nothing was won or lost', () => {
    const mark = marksOf([{ ...settled, status: 'Void', payout: 100 }], known('11'), settledAt)[0]
    expect(mark).toMatchObject({ words: 'Void · stake returned', standing: 'void' })
  })
})
