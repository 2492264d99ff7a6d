import { expect, test } from 'vitest'
import { EMAIL_KEYS } from '#tests/support/people/email-keys.ts'
import { emailKeyOf, isSamePerson } from './email-key.ts'

test.each(Object.entries(EMAIL_KEYS))('the key of %s is %s', (email, key) => {
  expect(emailKeyOf(email)).toBe(key)
})

test('one person has one key', () => {
  expect(isSamePerson('fin1@desk.example', 'Fin1+t@desk.example')).toBe(true)
  expect(isSamePerson('fin1@desk.example', 'fin2@desk.example')).toBe(false)
})
