import { expect, test } from 'vitest'
import { maySubmit, NEXT, toVerification } from './identity-check.ts'

test('an ID can be submitted if there is none or after a rejection; a decision is final', () => {
  expect(maySubmit(undefined)).toBe(true)
  expect((['Pending', 'Approved', 'Rejected'] as const).map((status) => maySubmit({ status }))).toEqual([
    false,
    false,
    true,
  ])
  expect(NEXT.Approved).toEqual([])
  expect(NEXT.Rejected).toEqual([])
})

test('shows the owner the reason only if there is one', () => {
  const check = {
    id: 1n,
    userId: 2n,
    method: 'others',
    status: 'Pending',
    reason: null,
    file: 'abc',
    changedFrom: null,
    holdsWithdrawals: false,
  } as const
  expect(toVerification(check)).toEqual({
    method: 'others',
    status: 'Pending',
    id_file_url: '/api/profile/user-verification/file/abc',
  })
  expect(toVerification({ ...check, status: 'Rejected', reason: 'Blurred.' })).toMatchObject({ reason: 'Blurred.' })
})
