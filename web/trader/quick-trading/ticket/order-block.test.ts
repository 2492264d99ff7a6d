import { describe, expect, test } from 'vitest'
import type { Instrument } from '#contract/prices/prices.ts'
import { stateOf } from '../market/use-market.ts'
import { blockOf } from './order-block.ts'

const fine = { mode: 'demo', balance: 100, state: { is: 'open' }, realTrades: true, source: 'simulation' } as const

describe('the block of an order', () => {
  test('is none when nothing is wrong', () => {
    expect(blockOf(fine)).toBeUndefined()
    expect(blockOf({ ...fine, mode: 'real' })).toBeUndefined()
    expect(blockOf({ ...fine, state: { is: 'loading' } })).toBeUndefined()
  })
  test('is a lost connection before anything else', () => {
    expect(blockOf({ ...fine, mode: 'real', balance: 0, state: { is: 'offline' } })).toEqual({ is: 'offline' })
  })
  test('is an empty account, in either mode', () => {
    expect(blockOf({ ...fine, mode: 'real', balance: 0.99 })).toEqual({ is: 'empty', mode: 'real' })
    expect(blockOf({ ...fine, balance: 0 })).toEqual({ is: 'empty', mode: 'demo' })
  })
  test("is simulated prices only if real money can't be traded on them", () => {
    expect(blockOf({ ...fine, mode: 'real', realTrades: false })).toEqual({ is: 'noRealTrades', source: 'simulation' })
    expect(blockOf({ ...fine, realTrades: false })).toBeUndefined()
  })
  test('is a symbol that real money may not trade, after what keeps everyone from trading it', () => {
    const real = { ...fine, mode: 'real', refused: 'BTCUSDT is open for demo trades only.' } as const
    expect(blockOf(real)).toEqual({ is: 'demoOnly', reason: 'BTCUSDT is open for demo trades only.' })
    expect(blockOf({ ...real, mode: 'demo' })).toBeUndefined()
    expect(blockOf({ ...real, state: { is: 'stale', seconds: 12 } })).toEqual({ is: 'stale', seconds: 12 })
  })
  test('is a symbol without a price', () => {
    expect(blockOf({ ...fine, state: { is: 'stale', seconds: 12 } })).toEqual({ is: 'stale', seconds: 12 })
    expect(blockOf({ ...fine, state: { is: 'unavailable', reason: 'none' } })).toEqual({
      is: 'unavailable',
      reason: 'none',
    })
  })
})

describe('the state of a symbol', () => {
  const now = Date.UTC(2026, 0, 1)
  const instrument: Instrument = {
    symbol: 'BCHBTC',
    base: 'BCH',
    quote: 'BTC',
    trading_type: 'Cryptocurrency',
    status: 'open',
    scale: 8,
    time: new Date(now - 3_000).toISOString(),
  }
  const stale = { ...instrument, status: 'stale', time: new Date(now - 14_000).toISOString() } as const

  test('is loading for an unknown symbol, offline without a stream', () => {
    expect(stateOf(undefined, undefined, now, now, false)).toEqual({ is: 'loading' })
    expect(stateOf(instrument, now, now, now, true)).toEqual({ is: 'offline' })
  })
  test("is stale after ten silent seconds, regardless of the server's last status", () => {
    expect(stateOf(instrument, now - 10_000, now - 60_000, now, false)).toEqual({ is: 'open' })
    expect(stateOf({ ...instrument, time: undefined }, now - 10_001, now - 60_000, now, false)).toEqual({
      is: 'stale',
      seconds: 10,
    })
  })
  test("isn't stale because of a price from before the subscription", () => {
    expect(stateOf(instrument, now - 60_000, now - 500, now, false)).toEqual({ is: 'open' })
  })
  test('uses the server’s status until a fresh price arrives', () => {
    expect(stateOf(stale, undefined, now, now, false)).toEqual({ is: 'stale', seconds: 14 })
    expect(stateOf(stale, now - 200, now, now, false)).toEqual({ is: 'open' })
  })
  test('closed has the time of reopening, even while an old price is shown', () => {
    const reopens = new Date(now + 3_600_000).toISOString()
    expect(stateOf({ ...instrument, status: 'closed', reopens }, now - 200, now, now, false)).toEqual({
      is: 'closed',
      reopensMs: now + 3_600_000,
    })
  })
  test('unavailable has its reason', () => {
    expect(stateOf({ ...instrument, status: 'unavailable', reason: 'No source.' }, undefined, now, now, false)).toEqual(
      {
        is: 'unavailable',
        reason: 'No source.',
      },
    )
  })
})
