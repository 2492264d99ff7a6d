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
  expect(incidentText({ ...outage, to: null })).toMatch(/No prices are published/)
  expect(lengthText({ kind: 'payouts_halted', from, to: '2026-11-23T10:03:10.000Z' })).toBe('3 min')
})

test('says which exchange operators took out or put back', () => {
  const out = { kind: 'exchange_switched', from, exchange: 'kraken', out: true } as const
  expect(incidentText(out)).toBe('Operators took kraken out of the prices.')
  expect(incidentText({ ...out, out: false })).toBe('Operators put kraken back into the prices.')
})

test('says whose price is made otherwise', () => {
  const text = incidentText({ kind: 'terms_changed', from, symbol: 'BTCUSDT' })
  expect(text).toMatch(/^Operators changed how the price of BTCUSDT is made/)
})

test('names a few symbols, and counts many', () => {
  const change = { kind: 'source_changed', from, was: 'live', is: 'simulation' } as const
  expect(incidentText({ ...change, symbols: ['BTCUSDT', 'ETHUSDT'] })).toBe(
    'Prices of BTCUSDT, ETHUSDT changed from live to simulated.',
  )
  expect(incidentText({ ...change, symbols: Array(79).fill('X') })).toMatch(/^Prices of 79 symbols changed/)
})

test('says what two operators ruled, in fixed words, and which stakes were returned', () => {
  const ruling = { kind: 'ruling', from, item: 'deposit', finding: 'records_agree', complaints: 1, tick: null } as const
  expect(incidentText(ruling)).toBe(
    'A complaint about a deposit was rejected: The records were checked again and agree.',
  )
  expect(incidentText({ ...ruling, complaints: 3 })).toMatch(/^3 complaints about deposits were rejected/)
  const tick = { of: 'exit', symbol: 'BTCUSDT', at: '2026-11-23T09:00:00.250Z', real: 1, demo: 0, total: 12.5 } as const
  const wrong = { ...ruling, item: 'trade', finding: 'wrong_price', tick } as const
  expect(incidentText(wrong)).toBe(
    'A complaint about a trade was upheld: A published price was wrong. The price of BTCUSDT at 2026-11-23 09:00:00 UTC had made trades lose: 1 real stake was returned, $12.50 of real money.',
  )
  expect(incidentText({ ...wrong, tick: { ...tick, real: 0, demo: 2, total: 0 } })).toMatch(
    /2 demo stakes were returned\.$/,
  )
  expect(incidentText({ ...wrong, tick: { ...tick, real: 0 } })).toMatch(/Stakes are being returned\.$/)
})

test('says why an instrument is closed', () => {
  const closed = { kind: 'instrument_closed', from, to: null, symbol: 'LTCETH', reason: 'Its market moved.' } as const
  expect(incidentText(closed)).toBe('LTCETH is closed for new trades: Its market moved.')
  expect(lengthText(closed)).toBe('ongoing')
})
