import { expect, test } from 'vitest'
import { isOwnAct, noteOwnAct } from './own-acts.ts'

test("doesn't announce the user's own action twice, only for a short time", () => {
  expect(isOwnAct('deposit', 0)).toBe(false)
  noteOwnAct('deposit', 1_000)
  expect(isOwnAct('deposit', 2_000)).toBe(true)
  expect(isOwnAct('withdraw', 2_000)).toBe(false)
  expect(isOwnAct('deposit', 6_000)).toBe(false)
})
