import { expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { orderOf } from '#tests/support/trades/orders.ts'
import type { Instruments } from '../prices/index.ts'
import type { ShownTradeRow, TradeRow } from './store.ts'
import { acceptedReply, fromAccepted, toAcceptedTrade, toOneTrade, toProfit, toTrade } from './view.ts'

const listed = [
  instrument({ id: 3, symbol: 'BTCUSDT', scale: 2 }),
  instrument({ id: 4, symbol: 'XAUUSD', tradingType: null }),
  instrument({ id: 6, symbol: 'ETHUSDT', scale: 2 }),
]
const instruments = { byId: (id: number) => listed.find((one) => one.id === id) } as Instruments

const AT = Date.UTC(2026, 8, 21, 12)
const won: ShownTradeRow = {
  id: 5n,
  mode: 'real',
  symbol_id: 3,
  side: 'Sell',
  strike_rate: '1/61',
  percent: 61,
  stake: 1_001n,
  duration_seconds: 60,
  trade_time: BigInt(AT),
  end_time: BigInt(AT + 60_000),
  rule_version: 'FT-1',
  price_list: 1,
  sale_rule: 'SE-1',
  status: 'Won',
  entry_price: 6_000_000n,
  entry_time: BigInt(AT + 250),
  exit_price: 5_999_950n,
  exit_time: BigInt(AT + 59_750),
  settled_at: new Date(AT + 60_500),
  payout: 1_612n,
  outcome_reason: 'It fell.',
  signal: 9n,
  key: null,
}
const shown = {
  trade_id: publicId(5n),
  symbol: 'BTCUSDT',
  trading_type: 'Cryptocurrency',
  trade_mode: 'Sell',
  mode: 'real',
  amount: 10.01,
  strike_rate: '1/61',
  percent: 61,
  duration: 60,
  status: 'Won',
  trade_time: '2026-09-21T12:00:00.000Z',
  end_time: '2026-09-21T12:01:00.000Z',
  start_price: 60_000,
  start_time: '2026-09-21T12:00:00.250Z',
  end_price: 59_999.5,
  exit_time: '2026-09-21T12:00:59.750Z',
  settled_at: '2026-09-21T12:01:00.500Z',
  payout: 16.12,
  outcome_reason: 'It fell.',
  rule_version: 'FT-1',
  price_list: 1,
  sale_rule: 'SE-1',
  signal: '9',
}
const pending = {
  ...shown,
  status: 'Pending',
  start_price: undefined,
  start_time: undefined,
  end_price: undefined,
  exit_time: undefined,
  settled_at: undefined,
  payout: undefined,
  outcome_reason: undefined,
}

test('a trade shows dollars, prices at the scale of its symbol, and times in ISO form', () => {
  expect(toTrade(instruments, won)).toEqual(shown)
  expect(toTrade(instruments, { ...won, settled_at: AT + 60_500, signal: '9' })).toEqual(shown)
  expect(toTrade(instruments, { ...won, key: 'waiting:12' })).toEqual({ ...shown, waiting_order: '12' })
  expect(toTrade(instruments, { ...won, signal: null, payout: 0n, status: 'Lost' })).toEqual({
    ...shown,
    signal: undefined,
    payout: 0,
    status: 'Lost',
  })
})

test('the answer to an order is the trade as it was accepted, whatever has become of it since', () => {
  const salt = '00112233445566778899aabbccddeeff'
  const order = orderOf(7n, {
    id: 5n,
    mode: 'real',
    side: 'Sell',
    strikeRate: '1/61',
    percent: 61,
    stake: usd(1_001n),
    durationSeconds: 60,
    signal: 9n,
    salt,
  })
  const row = { source_kind: order.sourceKind, stale_after_ms: order.staleAfterMs, salt: Buffer.from(salt, 'hex') }
  const stored = toAcceptedTrade(instruments, { ...won, ...row } as unknown as TradeRow)
  const { order_hash } = stored
  expect(order_hash).toMatch(/^[0-9a-f]{64}$/)
  expect(stored).toEqual({ ...pending, order_hash })
  expect(acceptedReply(instruments, { order, tradeTime: AT })).toEqual({ ...pending, order_hash })
  expect(toOneTrade(instruments, { ...won, ...row } as unknown as TradeRow), 'settled').toMatchObject({
    status: 'Won',
    order_hash,
  })
  const old = toAcceptedTrade(instruments, { ...won, ...row, salt: null } as unknown as TradeRow)
  expect(old).toEqual(pending)
  expect(fromAccepted(instruments, { order, tradeTime: AT })).toEqual(pending)
  expect(fromAccepted(instruments, { order: { ...order, signal: undefined }, tradeTime: AT }).signal).toBeUndefined()
})

test('the hash of an order changes with everything in it', () => {
  const order = orderOf(7n, { id: 5n, mode: 'real', symbolId: 3 })
  const hash = (change: object) =>
    acceptedReply(instruments, { order: { ...order, ...change }, tradeTime: AT }).order_hash
  const changes = [
    {},
    { id: 6n },
    { accountId: 9n },
    { symbolId: 6 },
    { side: 'Sell' },
    { strikeRate: '1/61' },
    { percent: 74 },
    { stake: usd(1_002n) },
    { durationSeconds: 300 },
    { staleAfterMs: 5_000 },
    { sourceKind: 0 },
    { salt: '00112233445566778899aabbccddee00' },
  ]
  const hashes = changes.map(hash)
  hashes.push(acceptedReply(instruments, { order, tradeTime: AT + 1 }).order_hash)
  expect(new Set(hashes).size).toBe(changes.length + 1)
})

test('a trade on a symbol that is not traded is a bug', () => {
  expect(() => toTrade(instruments, { ...won, symbol_id: 4 })).toThrow('a trade is on a traded symbol')
  expect(() => toTrade(instruments, { ...won, symbol_id: 5 })).toThrow('a trade is on a traded symbol')
})

test('a profit is what a winning trade paid beyond its stake', () => {
  expect(toProfit(instruments, won)).toEqual({
    profit_id: `P${publicId(5n)}`,
    trade_id: publicId(5n),
    symbol: 'BTCUSDT',
    amount: 10.01,
    profit: 6.11,
    earnings: 16.12,
    createdAt: '2026-09-21T12:01:00.500Z',
  })
  expect(toProfit(instruments, { ...won, symbol_id: 5 }).symbol).toBe('')
  for (const changes of [{ status: 'Draw' }, { payout: null }, { settled_at: null }] as const)
    expect(() => toProfit(instruments, { ...won, ...changes })).toThrow('a profit comes from a trade that was won')
})
