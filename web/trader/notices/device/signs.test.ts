import { expect, test, vi } from 'vitest'
import type { Trade } from '#contract/trading/trading.ts'
import { signOf, useSigns } from './signs.ts'

const trade = (more: Partial<Trade>) => ({ trade_id: '0AN5S18CG0400', status: 'Pending', ...more }) as Trade

test('vibrates once when a trade is filled, and when it ends, if that is on', () => {
  const vibrate = vi.fn()
  vi.stubGlobal('navigator', { vibrate })
  signOf(trade({ trade_id: '0', start_price: 1 }))
  expect(vibrate).not.toHaveBeenCalled()

  useSigns.setState({ vibration: true })
  signOf(trade({}))
  expect(vibrate, 'not when it is placed').not.toHaveBeenCalled()
  signOf(trade({ start_price: 1 }))
  expect(vibrate).toHaveBeenCalledTimes(1)
  signOf(trade({ start_price: 1 }))
  signOf(trade({ trade_id: '1', start_price: 1, sale: { at: '2026-11-28T00:00:00.000Z', minimum: 1 } }))
  expect(vibrate, 'not when more is reported of it').toHaveBeenCalledTimes(1)
  signOf(trade({ status: 'Won', start_price: 1 }))
  expect(vibrate).toHaveBeenCalledTimes(2)
})
