import { expect, test } from 'vitest'
import { withRow } from './live-lists.ts'

const row = (id: number, status = 'Pending') => ({
  id: String(id),
  status,
  createdAt: new Date(Date.UTC(2026, 10, id)).toISOString(),
})
const pages = { pageParams: ['', 'c'], pages: [{ data: [row(5), row(3)], next_cursor: 'c' }, { data: [row(2)] }] }
const idOf = ({ id }: { id: string }) => id
const idsWith = (one: ReturnType<typeof row>) => withRow(pages, one, idOf).pages.map(({ data }) => data.map(idOf))

test('updates a known row in place, on any page', () => {
  const next = withRow(pages, row(2, 'Approved'), idOf)
  expect(next.pages.map(({ data }) => data)).toEqual([[row(5), row(3)], [row(2, 'Approved')]])
  expect(next.pages[0]).toHaveProperty('next_cursor', 'c')
})

test('adds a row at the place of its time: a new one at the top', () => {
  expect(idsWith(row(6))).toEqual([['6', '5', '3'], ['2']])
  expect(idsWith(row(4))).toEqual([['5', '4', '3'], ['2']])
  expect(withRow({ pageParams: [''], pages: [{ data: [] }] }, row(1), idOf).pages).toEqual([{ data: [row(1)] }])
})

test('leaves out a row that belongs to a page which is not loaded', () => {
  expect(idsWith(row(1))).toEqual([['5', '3'], ['2']])
})
