import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openSeal } from './seal.ts'

const key = randomBytes(32)

test('a sealed value opens only under its purpose and name, and only unchanged', () => {
  const bank = openSeal(key, 'bank')
  const sealed = bank.seal('DE02 1203 0000', 'withdrawal 7')
  expect(sealed.includes('1203')).toBe(false)
  expect(bank.open(sealed, 'withdrawal 7')).toBe('DE02 1203 0000')
  expect(() => bank.open(sealed, 'withdrawal 8')).toThrow()
  expect(() => openSeal(key, 'totp').open(sealed, 'withdrawal 7')).toThrow()
  const changed = Buffer.from(sealed)
  changed[changed.length - 1]! ^= 1
  expect(() => bank.open(changed, 'withdrawal 7')).toThrow()
})
