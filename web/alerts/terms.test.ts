import { expect, test } from 'vitest'
import type { Alert } from '#contract/trading/alerts.ts'
import { readNumber } from '#web/ui/index.ts'
import { bodyOf, typedOf } from './terms.ts'
import { alertWords } from './words.ts'

const SYMBOLS = ['BTCUSDT']
const armed = { id: '1', symbol: 'BTCUSDT', base: '70000.00', armed_at: '2026-01-01T00:00:00.000Z' }
const price: Alert = { ...armed, kind: 'price', direction: 'up', level: '71000.00', rises: true }
const move: Alert = { ...armed, kind: 'move', direction: 'down', percent: 2.5, minutes: 60 }
const rsi: Alert = {
  ...{ ...armed, kind: 'indicator', direction: 'either' },
  indicator: { id: 'rsi', inputs: [14], output: 'value', interval: '5m', level: 70 },
}

test('reads numbers as people type them', () => {
  expect(['70,000.5', ' 3 ', '-100'].map(readNumber)).toEqual([70_000.5, 3, -100])
  for (const text of ['', '1e3', '70.000,5', 'ten']) expect(readNumber(text), text).toBeNaN()
})

test('an alert that is changed keeps its terms, and a price is crossed from where it is now', () => {
  for (const alert of [price, move, rsi]) {
    const { id: _id, base: _base, armed_at: _at, rises: _rises, ...body } = alert
    expect(bodyOf(typedOf(alert, '', ''), SYMBOLS)).toEqual({
      body: { ...body, ...(alert.kind === 'price' && { direction: 'either' }) },
    })
  }
})

test('names the field that is wrong', () => {
  const typed = typedOf(undefined, 'BTCUSDT', '70000.00')
  const wrongOf = (change: object) => Object.keys((bodyOf({ ...typed, ...change }, SYMBOLS) as { wrong: object }).wrong)
  expect(wrongOf({ symbol: 'NOPE' })).toEqual(['symbol'])
  expect(wrongOf({ level: '0' })).toEqual(['level'])
  expect(wrongOf({ kind: 'move', percent: '51' })).toEqual(['percent'])
  expect(wrongOf({ kind: 'indicator', inputs: ['x'] })).toEqual(['inputs'])
  expect(wrongOf({ kind: 'indicator', threshold: '' })).toEqual(['threshold'])
})

test('says what an alert is for', () => {
  expect([price, move, rsi].map(alertWords)).toEqual([
    'rises to 71,000.00',
    'falls 2.5% in 1 hour',
    'RSI(14) on 5m crosses 70',
  ])
})
