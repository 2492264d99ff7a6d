import { expect, test } from 'vitest'
import { countsText } from './words.ts'

test('sold trades are neither won nor lost', () => {
  expect(countsText({ won: 2, lost: 1, sold: 0 })).toBe('2 won, 1 lost')
  expect(countsText({ won: 2, lost: 1, sold: 3 })).toBe('2 won, 1 lost, 3 sold early')
})
