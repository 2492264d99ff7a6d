import { afterAll, expect, test } from 'vitest'
import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
import { deskCases } from '#tests/support/desk-contract/cases.ts'
import { startOffice } from '#tests/support/desk-contract/office.ts'
import { testCalls } from '#tests/support/test-calls.ts'

const office = await startOffice()
afterAll(office.stop)

const cases = deskCases(office)

test('has a case for every call of the desk and for no others', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(deskCalls).sort())
})

testCalls({
  app: () => office.app,
  names: Object.keys(deskCalls) as DeskCallName[],
  cases,
  unchanged: () => office.app.balances(office.trader),
  optional: ['venues', 'stake_max', 'open_stake_max', 'trading', 'deposits', 'credit'],
  signsOut: ['POST /desk/auth/logout'],
})
