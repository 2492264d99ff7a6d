import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAccountCall, NAMES, startContract } from '#tests/support/contract.ts'
import { otherCases } from '#tests/support/contract-cases/others.ts'
import { generatedBars, storeBars } from '#tests/support/prices/bars.ts'
import { testCalls } from '#tests/support/test-calls.ts'

const scene = await startContract()
afterAll(scene.stop)
beforeAll(() => storeBars(scene.app.db, 'BTCUSDT', generatedBars(Date.parse('2026-01-05'), 1_440, 7)))
const cases = otherCases(scene)

const names = NAMES.filter((name) => !isAccountCall(name))

test('has a case for each of these calls and for no others', () => {
  expect(Object.keys(cases).sort()).toEqual([...names].sort())
})

testCalls({
  ...scene.common,
  names,
  cases,
  signsOut: [],
  cached: { 'GET /avatars/:name': 'public, max-age=31536000, immutable' },
})
