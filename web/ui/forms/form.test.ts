import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { email, newPassword, phone } from '#contract/fields.ts'
import { resolver } from './form.ts'

const check = resolver(z.object({ email, password: newPassword, phone }))
const ask = async (values: { email: string; password: string; phone: string }) => {
  const { errors } = await check(values, undefined, { fields: {}, shouldUseNativeValidation: false })
  return Object.fromEntries(Object.entries(errors).map(([field, error]) => [field, error?.message]))
}

test('every failing field shows its own first failing rule', async () => {
  expect(await ask({ email: '', password: '', phone: '' })).toEqual({
    email: 'must not be empty',
    password: 'is required',
    phone: 'must not be empty',
  })
  expect(await ask({ email: 'a', password: '12345', phone: '123' })).toEqual({
    email: 'is invalid',
    password: 'must be at least 8 characters long',
    phone: 'must be at least 10 characters long',
  })
})

test('six characters make a password although its message says eight', async () => {
  expect(await ask({ email: 'ada@example.com', password: '123456', phone: '0123456789' })).toEqual({})
})
