import { expect, test } from 'vitest'
import { openPasswords } from './password.ts'

const passwords = openPasswords()

test('verifies a password in any Unicode composition, and rejects others', async () => {
  const stored = await passwords.hash('Zürich 1')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.verify('Zürich 1', stored)).toBe(true)
  expect(await passwords.verify('Zu\u0308rich 1', stored)).toBe(true)
  expect(await passwords.verify('Zürich 2', stored)).toBe(false)
  expect(await passwords.hash('Zürich 1')).not.toBe(stored)
})
