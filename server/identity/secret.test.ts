import { expect, test } from 'vitest'
import { newSecret, seal, unseal } from './secret.ts'

test('only the right secret decrypts a sealed value', () => {
  const secret = newSecret()
  expect(secret).toMatch(/^[\w-]{43}$/)
  const sealed = seal('the child', secret)
  expect(unseal(sealed, secret)).toBe('the child')
  expect(() => unseal(sealed, newSecret())).toThrow()
  sealed[sealed.length - 1]! ^= 1
  expect(() => unseal(sealed, secret)).toThrow()
})
