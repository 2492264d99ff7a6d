import { expect, test } from 'vitest'
import type { Trade as WireTrade } from '#contract/trading/trading.ts'
import { tradeOf } from './trade.ts'

test('renames what is called something else on the wire and keeps the rest', () => {
  const wire: WireTrade = {
    trade_id: '1',
    symbol: 'BTCUSDT',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Sell',
    mode: 'demo',
    amount: 12.5,
    strike_rate: '75/3',
    percent: 3,
    duration: 60,
    status: 'Won',
    trade_time: '2026-01-01T00:00:00.000Z',
    end_time: '2026-01-01T00:01:00.000Z',
    start_price: 10,
    start_time: '2026-01-01T00:00:00.250Z',
    end_price: 9,
    exit_time: '2026-01-01T00:00:59.900Z',
    payout: 12.88,
    rule_version: 'FT-1',
  }
  const { trade_mode, amount, start_price, start_time, end_price, ...same } = wire
  expect(tradeOf(wire)).toEqual({
    ...same,
    side: 'Sell',
    stake: 12.5,
    entry_price: 10,
    entry_time: '2026-01-01T00:00:00.250Z',
    exit_price: 9,
  })
})
