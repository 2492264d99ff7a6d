import { expect, test } from 'vitest'
import { isOwnAct, noteOwnAct } from './own-acts.ts'

test('what somebody does here himself is not said twice, and soon is news again', () => {
  expect(isOwnAct('deposit', 0)).toBe(false)
  noteOwnAct('deposit', 1_000)
  expect(isOwnAct('deposit', 2_000)).toBe(true)
  expect(isOwnAct('withdraw', 2_000)).toBe(false)
  expect(isOwnAct('deposit', 6_000)).toBe(false)
})
