import { beforeEach, describe, expect, test } from 'vitest'
import type { Trade } from '#web/client/index.ts'
import { followTrades, mergeTrades, setTrades, takeTrade, useTradeStore } from './trades.ts'

const trade = (trade_id: string, more: Partial<Trade> = {}): Trade => ({
  trade_id,
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
  end_time: '2026-01-01T00:01:00.000Z',
  rule_version: 'FT-1',
  ...more,
})
const won = { status: 'Won', entry_price: 1, exit_price: 2, payout: 175 } as const
const ids = (list: readonly Trade[]) => list.map((one) => one.trade_id)

describe('merging', () => {
  test('returns each trade once, newest first', () => {
    expect(ids(mergeTrades([trade('B'), trade('A')], [trade('C'), trade('B')]))).toEqual(['C', 'B', 'A'])
  })
  test('keeps the most advanced state, regardless of order', () => {
    const pending = trade('A')
    const entered = trade('A', { entry_price: 1 })
    const settled = trade('A', won)
    expect(mergeTrades([pending], [settled])[0]).toBe(settled)
    expect(mergeTrades([settled], [pending])[0]).toBe(settled)
    expect(mergeTrades([settled], [entered])[0]).toBe(settled)
    expect(mergeTrades([entered], [pending])[0]).toBe(entered)
  })
  test('returns the same list if nothing changed', () => {
    const list = [trade('A')]
    expect(mergeTrades(list, [])).toBe(list)
  })
})

describe('the trades of the mode', () => {
  beforeEach(() => {
    useTradeStore.setState({ owner: '', mode: 'demo', list: [], initialised: false, error: undefined })
    followTrades('u1', 'demo')
  })
  const state = () => useTradeStore.getState()

  test('start as demo and not loaded', () => {
    expect(useTradeStore.getInitialState()).toMatchObject({ mode: 'demo', list: [], initialised: false })
  })
  test('keeps a message that arrives before the response', () => {
    takeTrade(trade('B', won))
    setTrades('u1', 'demo', [trade('B'), trade('A')])
    expect(state().initialised).toBe(true)
    expect(state().list.map(({ trade_id, status }) => [trade_id, status])).toEqual([
      ['B', 'Won'],
      ['A', 'Pending'],
    ])
  })
  test('a trade of the other mode changes nothing', () => {
    takeTrade(trade('A', { mode: 'real' }))
    expect(state().list).toEqual([])
  })
  test('drops a late response of the previous mode', () => {
    followTrades('u1', 'real')
    setTrades('u1', 'demo', [trade('A')])
    expect(state()).toMatchObject({ mode: 'real', list: [], initialised: false })
  })
  test("another user starts without the previous user's trades", () => {
    setTrades('u1', 'demo', [trade('A')])
    followTrades('u2', 'demo')
    expect(state()).toMatchObject({ owner: 'u2', list: [], initialised: false })
    setTrades('u1', 'demo', [trade('A')])
    expect(state().list).toEqual([])
  })
})
