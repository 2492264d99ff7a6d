import { expect, test } from 'vitest'
import { pathOf } from './sparkline.tsx'

test('a line ends at the right edge, with its lowest value at the bottom', () => {
  expect(pathOf([0, 100, 50])).toBe('M45 100L46 0L47 50')
  expect(pathOf(Array.from({ length: 48 }, () => 50))).toMatch(/^M0 50L.*L47 50$/)
})
