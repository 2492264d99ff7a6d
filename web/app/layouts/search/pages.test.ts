import { expect, test } from 'vitest'
import { PAGES } from './pages.ts'

test('has each page once, with words about it', () => {
  expect(PAGES.length).toBeGreaterThan(30)
  expect(new Set(PAGES.map(({ to }) => to)).size).toBe(PAGES.length)
  for (const { label, about } of PAGES) expect(about, label).not.toBe('')
})
