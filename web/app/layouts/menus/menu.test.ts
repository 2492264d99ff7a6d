import { expect, test } from 'vitest'
import { bottomEntriesOf, groupAt, groupsOf } from './menu.ts'

const words = (entries: readonly { label: string }[]) => entries.map((entry) => entry.label)

test('the icon nav shows every group in real mode and hides real-only ones in demo', () => {
  expect(words(groupsOf('real'))).toEqual([
    'Trading',
    'Deposit',
    'Withdrawal',
    'Profits',
    'Plans',
    'Profile',
    'Settings',
  ])
  expect(words(groupsOf('demo'))).toEqual(['Trading', 'Profile', 'Settings'])
})

test('the bottom nav has quick trading and the four money screens; in demo mode, screens that it has', () => {
  expect(words(bottomEntriesOf('real'))).toEqual(['Quick Trading', 'Profits', 'Deposit', 'Withdraw', 'Trading Plans'])
  expect(words(bottomEntriesOf('demo'))).toEqual(['Quick Trading', 'Automatic', 'History', 'Statistics', 'Alerts'])
  const inDemo = groupsOf('demo').flatMap(({ entries }) => entries.map(({ to }) => to))
  for (const { to } of bottomEntriesOf('demo')) expect(inDemo).toContain(to)
})

test('finds the group of a path, with or without a trailing slash', () => {
  expect(groupAt('/user/trade-history/')?.label).toBe('Trading')
  expect(groupAt('/user/verify')?.label).toBe('Profile')
  expect(groupAt('/user/complaints')?.label).toBe('Trading')
  expect(groupAt('/user/nowhere')).toBeUndefined()
})

test('a short label is part of the label that screen readers read', () => {
  const shortened = groupsOf('real').flatMap(({ entries }) => entries.filter(({ short }) => short !== undefined))
  expect(shortened.length).toBeGreaterThan(0)
  for (const { label, short } of shortened) expect(label.toLowerCase()).toContain(short!.toLowerCase())
})
