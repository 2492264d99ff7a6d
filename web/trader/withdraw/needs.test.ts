import { expect, test } from 'vitest'
import type { WithdrawalRequirements } from '#contract/money/cashier.ts'
import { missingWords, needsOf, remainsOf } from './needs.ts'

const all: WithdrawalRequirements = {
  possible: true,
  email_verified: true,
  identity: 'Approved',
  identity_method: 'national_id',
  identity_required: true,
  locked: false,
  pause: null,
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

test('a pause comes first, with its end or the way to end it', () => {
  const paused = (until: string | null) => needsOf({ ...all, pause: { cause: 'disowned', until } })[0]!
  expect(paused(null)).toMatchObject({ kind: 'pause', title: 'Set a new password by e-mail' })
  expect(paused('2026-11-27T10:00:00.000Z').title).toMatch(/^Wait until 2026-11-27/)
  expect(missingWords({ ...all, pause: { cause: 'email_changed', until: '2026-11-27T10:00:00.000Z' } })).toMatch(
    /^wait until 2026-11-27/,
  )
})

test('computes the rest in cents, and none for an amount above the balance', () => {
  expect(remainsOf(100.1, '0.2')).toBe(99.9)
  expect(remainsOf(100, '100')).toBe(0)
  expect(remainsOf(100, '100.01')).toBeUndefined()
  expect(remainsOf(100, '')).toBe(100)
  expect(remainsOf(100, '12,50')).toBe(87.5)
  expect(remainsOf(100, '1e1')).toBe(100)
})
