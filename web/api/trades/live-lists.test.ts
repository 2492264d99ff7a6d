import { expect, test } from 'vitest'
import { withRow } from './live-lists.ts'

const pages = {
  pageParams: ['', 'c'],
  pages: [{ data: [{ id: '3', status: 'Pending' }], next_cursor: 'c' }, { data: [{ id: '1', status: 'Pending' }] }],
}
const idOf = (row: { id: string }) => row.id

test('updates a known row in place, on any page', () => {
  const next = withRow(pages, { id: '1', status: 'Approved' }, idOf)
  expect(next.pages.map((page) => page.data)).toEqual([
    [{ id: '3', status: 'Pending' }],
    [{ id: '1', status: 'Approved' }],
  ])
  expect(next.pages[0]).toHaveProperty('next_cursor', 'c')
})

test('adds a new row at the top of the first page', () => {
  const next = withRow(pages, { id: '4', status: 'Pending' }, idOf)
  expect(next.pages.map((page) => page.data.map(idOf))).toEqual([['4', '3'], ['1']])
})
