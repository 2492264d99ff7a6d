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

test('opens what was sealed before, so that an installation can read its own rows after an upgrade', () => {
  const bank = openSeal(Buffer.alloc(32, 7), 'bank')
  const stored = 'FNuGH08puYavwH93hAOdwBjYF/gf/rYP77jM6DBFrr4U9XbUkjgEATDsb9di'
  expect(bank.open(Buffer.from(stored, 'base64'), 'withdrawal 1')).toBe('Zürich 021000021')
  const fingerprint = 'c6d6fb3360f0ecb8df4e8f716353e6383bb8391a447b2f0f9d1094b8fa674623'
  expect(bank.fingerprint('021000021').toString('hex')).toBe(fingerprint)
  expect(bank.fingerprint('021000022').toString('hex')).not.toBe(fingerprint)
})

test('a value that is shorter than its tag does not open', () => {
  const bank = openSeal(key, 'bank')
  expect(() => bank.open(bank.seal('', 'w').subarray(0, 24), 'w')).toThrow(/[Ii]nvalid authentication tag/)
})

test('other keys open values and seal none; without them the error says what is missing', () => {
  const [former, next] = [randomBytes(32), randomBytes(32)]
  const old = openSeal(former, 'bank').seal('one', 'w')
  const both = openSeal(next, 'bank', [former])
  expect(both.open(old, 'w')).toBe('one')
  expect(both.isCurrent(old, 'w')).toBe(false)
  const sealed = both.seal('two', 'w')
  expect(both.isCurrent(sealed, 'w')).toBe(true)
  expect(openSeal(next, 'bank').open(sealed, 'w')).toBe('two')
  expect(() => openSeal(next, 'bank').open(old, 'w')).toThrow(
    /^A sealed value can't be decrypted: it was changed, or its key is neither FILES_KEY nor in FILES_KEY_OTHERS/,
  )
})
