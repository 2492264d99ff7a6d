import { expect, test } from 'vitest'
import type { Notice } from '#contract/messages/notices.ts'
import { allRead, countWord, withNotice } from './loaded-notices.ts'

const notice = (id: string, read = false): Notice => ({
  id,
  kind: 'deposit',
  title: 'Deposit approved',
  text: '$100.00 are in your balance.',
  path: '/user/deposit-log',
  at: '2026-01-01T00:00:00.000Z',
  read,
})

test('puts a new notification on top and counts it once', () => {
  const known = withNotice({ data: [notice('1', true)], unread: 0 }, notice('2'))
  expect(known.data.map((one) => one.id)).toEqual(['2', '1'])
  expect(known.unread).toBe(1)
  expect(withNotice(known, notice('2'))).toBe(known)
})

test('reading marks all of them', () => {
  const known = allRead({ data: [notice('2'), notice('1')], unread: 7 })
  expect(known.unread).toBe(0)
  expect(known.data.every((one) => one.read)).toBe(true)
})

test('the bell has room for two digits', () => {
  expect([3, 99, 100].map(countWord)).toEqual(['3', '99', '99+'])
})
