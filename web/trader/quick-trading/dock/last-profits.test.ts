import { expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { isProfit, newestFirst } from './last-profits.ts'

const row = (id: string, time: string) => ({ id, time })
const idsOf = (rows: ReturnType<typeof row>[]) => newestFirst(rows).map(({ id }) => id)

test('lists the newest settlement first', () => {
  expect(idsOf([row('A', '2026-01-01T00:00:01.000Z'), row('B', '2026-01-01T00:00:02.000Z')])).toEqual(['B', 'A'])
})

test('trades settled in the same millisecond keep the order in which they were placed', () => {
  const time = '2026-01-01T00:00:01.000Z'
  for (const order of ['ABCD', 'DCBA', 'BDAC', 'CADB'])
    expect(idsOf([...order].map((id) => row(id, time)))).toEqual(['D', 'C', 'B', 'A'])
})

test('a profit comes from a trade that was won, or sold for more than its stake', () => {
  const of = (status: Trade['status'], payout?: number) => isProfit({ status, payout, stake: 100 })
  expect(of('Won', 175)).toBe(true)
  expect(of('Sold', 100.01)).toBe(true)
  expect(of('Sold', 100)).toBe(false)
  expect(of('Sold', 40)).toBe(false)
  expect(of('Draw', 100)).toBe(false)
  expect(of('Pending')).toBe(false)
})
