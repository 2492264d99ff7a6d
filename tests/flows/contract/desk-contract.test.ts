import { afterAll, expect, test } from 'vitest'
import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
import { sql } from '#server/platform/database/db.ts'
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
  // From the database: the trader's token ends after 15 minutes, which is less than this takes on a very busy machine.
  unchanged: async () => {
    const { rows } = await sql`
      select mode, balance from accounts where user_id = ${office.trader.id} order by mode`.execute(office.app.db)
    expect(rows).toHaveLength(2)
    return rows
  },
  optional: ['venues', 'stake_max', 'open_stake_max', 'trading', 'deposits', 'credit'],
  signsOut: ['POST /desk/auth/logout'],
})
