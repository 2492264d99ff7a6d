import { expect, test } from 'vitest'
import { HOUR_MS } from '#kernel/time.ts'
import { marketReopens } from './hours.ts'

const at = (iso: string) => Date.parse(iso)
const SATURDAY = at('2026-01-10T12:00:00Z')
const reopensAt = (time: number) => marketReopens({ base: 'EUR', quote: 'USD' }, time)

test('pairs of two currencies have hours, pairs with a coin do not', () => {
  expect(marketReopens({ base: 'EUR', quote: 'USD' }, SATURDAY)).toBe(at('2026-01-11T22:00:00Z'))
  expect(marketReopens({ base: 'BTC', quote: 'USD' }, SATURDAY)).toBeUndefined()
  expect(marketReopens({ base: 'USDT', quote: 'USD' }, SATURDAY)).toBeUndefined()
})

test.each([
  ['winter', '2026-01-09T22:00:00Z', '2026-01-11T22:00:00Z'],
  ['summer', '2026-07-10T21:00:00Z', '2026-07-12T21:00:00Z'],
  ['the weekend on which summer time begins', '2026-03-06T22:00:00Z', '2026-03-08T21:00:00Z'],
  ['the weekend on which summer time ends', '2026-10-30T21:00:00Z', '2026-11-01T22:00:00Z'],
])('closes from Friday to Sunday, 17:00 in New York: %s', (_when, closes, reopens) => {
  expect(reopensAt(at(closes) - 1)).toBeUndefined()
  for (let time = at(closes); time < at(reopens); time += HOUR_MS / 4) {
    expect(reopensAt(time), new Date(time).toISOString()).toBe(at(reopens))
  }
  expect(reopensAt(at(reopens) - 1)).toBe(at(reopens))
  expect(reopensAt(at(reopens))).toBeUndefined()
})
