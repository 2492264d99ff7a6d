import { expect, test } from 'vitest'
import type { PriceListDocument } from '#contract/trading/offers.ts'
import { newRule, readLists, typedOf } from './typed-lists.ts'

const DOCUMENT: PriceListDocument = {
  lists: [
    { name: 'Standard', pairs: ['75/3', '1/61'] },
    { name: 'Night', pairs: ['50/50'] },
  ],
  rules: [
    { symbols: ['BTCUSDT', 'ETHUSDT'], group: null, durations: [60], days: [0, 6], from_hour: 22, to_hour: 6, list: 2 },
    {
      symbols: [],
      group: 'Currencies',
      durations: [],
      days: [0, 1, 2, 3, 4, 5, 6],
      from_hour: 0,
      to_hour: 24,
      list: 1,
    },
  ],
}

test('what is shown of a document reads back as the same document', () => {
  expect(readLists(typedOf(DOCUMENT))).toEqual({ document: DOCUMENT })
})

test('pairs and symbols may be typed with spaces, with commas and in lower case', () => {
  const typed = typedOf(DOCUMENT)
  const [rule] = typed.rules
  expect(
    readLists({
      lists: [{ ...typed.lists[0]!, pairs: ' 75/3  1/61,' }, typed.lists[1]!],
      rules: [{ ...rule!, symbols: 'btcusdt; ethusdt' }],
    }),
  ).toEqual({ document: { ...DOCUMENT, rules: [DOCUMENT.rules[0]] } })
})

test('what is wrong is named by its place', () => {
  const typed = typedOf(DOCUMENT)
  const rule = (change: object) => readLists({ ...typed, rules: [{ ...newRule(), ...change }] })
  const list = (pairs: string) => readLists({ ...typed, lists: [{ key: 'x', name: 'One', pairs }], rules: [] })
  expect(list('75-3')).toEqual({ problem: expect.stringMatching(/^List 1: the odds: .* is invalid\.$/) })
  expect(list('')).toEqual({ problem: expect.stringMatching(/^List 1: the odds: .* must not be empty\.$/) })
  expect(rule({ for: 'symbols' })).toEqual({ problem: 'Rule 1: name at least one symbol.' })
  expect(rule({ days: [] })).toEqual({ problem: 'Rule 1: the days must not be empty.' })
  expect(rule({ from_hour: 'ten' })).toEqual({ problem: expect.stringMatching(/^Rule 1: the first hour must be/) })
  expect(rule({ list: '3' })).toEqual({ problem: expect.stringContaining('must name a list that exists') })
})
