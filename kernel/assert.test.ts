import { expect, test } from 'vitest'
import { assert } from './assert.ts'

test('throws with the message only if an assumption does not hold', () => {
  expect(() => assert(1 + 1 === 2, 'sums')).not.toThrow()
  expect(() => assert(undefined, 'there is a price')).toThrow('assertion failed: there is a price')
})
