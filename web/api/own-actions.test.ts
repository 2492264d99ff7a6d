import { expect, test } from 'vitest'
import { isOwnAction, noteOwnAction } from './own-actions.ts'

test("doesn't announce the user's own action twice, only for a short time", () => {
  expect(isOwnAction('deposit', 0)).toBe(false)
  noteOwnAction('deposit', 1_000)
  expect(isOwnAction('deposit', 2_000)).toBe(true)
  expect(isOwnAction('withdraw', 2_000)).toBe(false)
  expect(isOwnAction('deposit', 6_000)).toBe(false)
})
