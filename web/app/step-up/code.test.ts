import { expect, test } from 'vitest'
import { isWholeCode, tidyCode } from './code.ts'

test('accepts a pasted code and submits it once complete', () => {
  expect(tidyCode(' 123 456 ')).toBe('123456')
  expect(tidyCode('123-4567')).toBe('123456')
  expect(isWholeCode(tidyCode('12345'))).toBe(false)
  expect(isWholeCode('123456')).toBe(true)
})
