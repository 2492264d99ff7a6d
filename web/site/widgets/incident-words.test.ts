import { expect, test } from 'vitest'
import { incidentText, lengthText } from './incident-words.ts'

const from = '2026-11-23T10:00:00.000Z'

test('says what happened to trades, and that their stakes were returned', () => {
  const voids = { kind: 'voids', from, to: from, symbol: 'BTCUSDT', reason: 'no_exit', real: 1, demo: 0 } as const
  expect(incidentText(voids)).toBe(
    '1 real trade on BTCUSDT was void: there was no fresh price at the end. The stakes were returned.',
  )
  expect(incidentText({ ...voids, real: 2, demo: 3 })).toMatch(/^2 real and 3 demo trades on BTCUSDT were void/)
})

test('says what lasts, and how long it took', () => {
  const outage = { kind: 'no_prices', from, to: '2026-11-23T12:05:00.000Z' } as const
  expect(lengthText(outage)).toBe('2 h 5 min')
  expect(lengthText({ ...outage, to: null })).toBe('ongoing')
  expect(incidentText({ ...outage, to: null })).toMatch(/No prices are being published/)
  expect(lengthText({ kind: 'payouts_halted', from, to: '2026-11-23T10:03:10.000Z' })).toBe('3 min')
})

test('names a few symbols, and counts many', () => {
  const change = { kind: 'source_changed', from, was: 'live', is: 'simulation' } as const
  expect(incidentText({ ...change, symbols: ['BTCUSDT', 'ETHUSDT'] })).toBe(
    'Prices of BTCUSDT, ETHUSDT changed from live to simulated.',
  )
  expect(incidentText({ ...change, symbols: Array(79).fill('X') })).toMatch(/^Prices of 79 symbols changed/)
})
