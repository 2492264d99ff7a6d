import { expect, test } from 'vitest'
import type { WithdrawalRequirements } from '#contract/cashier.ts'
import { missingWords, needsOf, remainsOf } from './needs.ts'

const all: WithdrawalRequirements = {
  possible: true,
  email_verified: true,
  identity: 'Approved',
  identity_method: 'national_id',
  identity_required: true,
  locked: false,
  owed: 0,
  came_by: [],
  two_person_amount: 1000,
  business_days: 5,
  paused_since: null,
}
const open = (change: Partial<WithdrawalRequirements>) =>
  needsOf({ ...all, ...change })
    .filter((need) => !need.done)
    .map((need) => need.kind)

test('requires a confirmed e-mail and an approved identity', () => {
  expect(open({})).toEqual([])
  expect(open({ email_verified: false, identity: null })).toEqual(['email', 'identity'])
  expect(open({ identity: 'Pending' })).toEqual(['identity'])
  expect(open({ identity: 'Rejected' })).toEqual(['identity'])
})

test('lists the missing steps', () => {
  expect(missingWords({ ...all, email_verified: false, identity: null })).toBe(
    'confirm your e-mail, verify your identity',
  )
  expect(missingWords(all)).toBe('')
})

test('lists the identity only if required, and a lock always', () => {
  expect(open({ identity: null, identity_required: false })).toEqual([])
  expect(open({ locked: true })).toEqual(['unlocked'])
})

test('a debt is repaid first', () => {
  expect(open({ owed: 12.5, possible: false })).toEqual(['debt'])
  expect(needsOf({ ...all, owed: 12.5 })[0]!.text).toContain('$12.50')
})

test('computes the rest in cents, and none for an amount above the balance', () => {
  expect(remainsOf(100.1, '0.2')).toBe(99.9)
  expect(remainsOf(100, '100')).toBe(0)
  expect(remainsOf(100, '100.01')).toBeUndefined()
  expect(remainsOf(100, '')).toBe(100)
  expect(remainsOf(100, '12,50')).toBe(87.5)
  expect(remainsOf(100, '1e1')).toBe(100)
})
