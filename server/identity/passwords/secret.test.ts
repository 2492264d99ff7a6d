import { expect, test } from 'vitest'
import { hashOf, newSecret, seal, unseal } from './secret.ts'

test('only the right secret decrypts a sealed value', () => {
  const secret = newSecret()
  expect(secret).toMatch(/^[\w-]{43}$/)
  const sealed = seal('the child', secret)
  expect(unseal(sealed, secret)).toBe('the child')
  expect(() => unseal(sealed, newSecret())).toThrow()
  sealed[sealed.length - 1]! ^= 1
  expect(() => unseal(sealed, secret)).toThrow()
})

test('reads what was stored before: a sealed value and a hash', () => {
  const stored = Buffer.from('1i39jxLQdkS/UjlzPpxtiip0eTvJE892a32Vo7vW+bkJWnM=', 'base64')
  expect(unseal(stored, 'a secret')).toBe('Zürich')
  expect(hashOf('a secret').toString('hex')).toBe('984ca5162200734c592148f1820b71057f098573d138666b48663e4e30cd8d3a')
})
