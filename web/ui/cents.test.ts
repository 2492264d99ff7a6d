import { describe, expect, test } from 'vitest'
import { roundToCents, toCents } from './cents.ts'

describe('toCents', () => {
  test('returns the exact cents of an amount that has no exact binary form', () => {
    expect(toCents(0.29)).toBe(29)
    expect(toCents(1.1)).toBe(110)
    expect(toCents(4.35)).toBe(435)
    expect(toCents(70_368_744_177_663.99)).toBe(7_036_874_417_766_399)
  })

  test('keeps the sign', () => {
    expect(toCents(-12.34)).toBe(-1_234)
  })
})

describe('roundToCents', () => {
  test('removes the binary fraction of a sum or a difference', () => {
    expect(roundToCents(0.1 + 0.2)).toBe(0.3)
    expect(roundToCents(1_000 - 999.99)).toBe(0.01)
  })

  test('leaves an amount in cents as it is', () => {
    for (const dollars of [0, 0.01, 12.5, 99.99, -7.35]) expect(roundToCents(dollars)).toBe(dollars)
  })
})
