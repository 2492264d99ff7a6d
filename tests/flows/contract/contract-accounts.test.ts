import { afterAll, expect, test } from 'vitest'
import { isAccountCall, NAMES, startContract } from '#tests/support/contract.ts'
import { accountCases } from '#tests/support/contract-cases/accounts.ts'
import { testCalls } from '#tests/support/test-calls.ts'

const scene = await startContract()
afterAll(scene.stop)
const cases = accountCases(scene)

const names = NAMES.filter(isAccountCall)

test('has a case for each of these calls and for no others', () => {
  expect(Object.keys(cases).sort()).toEqual([...names].sort())
})

testCalls({
  ...scene.common,
  names,
  cases,
  signsOut: ['POST /auth/refresh', 'POST /auth/logout'],
  loose: ['POST /users/update'],
})
