import { afterAll, expect, test } from 'vitest'
import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
import { type Case, testCalls } from '#tests/support/calls.ts'
import { instrumentCases } from '#tests/support/desk-contract/instruments.ts'
import { moneyCases } from '#tests/support/desk-contract/money.ts'
import { startOffice } from '#tests/support/desk-contract/office.ts'
import { operatorCases } from '#tests/support/desk-contract/operators.ts'
import { reconciliationCases } from '#tests/support/desk-contract/reconciliation.ts'
import { tradingCases } from '#tests/support/desk-contract/trading.ts'
import { userCases } from '#tests/support/desk-contract/users.ts'

const office = await startOffice()
afterAll(office.stop)

/** A case for every call of the desk: a new row of the contract does not compile without one. */
const cases: Record<DeskCallName, Case> = {
  ...operatorCases(office),
  ...userCases(office),
  ...moneyCases(office),
  ...reconciliationCases(office),
  ...tradingCases(office),
  ...instrumentCases(office),
}

test('there is a case for every call of the desk and for no other', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(deskCalls).sort())
})

testCalls({
  app: () => office.app,
  names: Object.keys(deskCalls) as DeskCallName[],
  cases,
  unchanged: () => office.app.balances(office.trader),
  optional: ['venues', 'stake_max', 'open_stake_max', 'trading', 'deposits'],
  signsOut: ['POST /desk/auth/logout'],
})
