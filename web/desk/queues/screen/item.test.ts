import { expect, test } from 'vitest'
import { neighbour, type QueueItem, waited, whyNot } from './item.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const item: QueueItem = {
  id: '2',
  user_id: '1',
  email: 'ada@example.org',
  name: 'Ada Byron',
  created_at: '2026-11-21T11:00:00Z',
  status: 'Pending',
  claimed_by: null,
  own: false,
  flags: [],
}

test.each([
  ['2026-11-21T11:59:31Z', '0 min'],
  ['2026-11-21T11:00:01Z', '59 min'],
  ['2026-11-21T11:00:00Z', '1 h'],
  ['2026-11-20T12:00:00Z', '1 day'],
  ['2026-11-01T12:00:00Z', '20 days'],
  ['2026-11-21T12:00:09Z', '0 min'],
])('since %s is %s', (since, words) => expect(waited(since, NOW)).toBe(words))

test('says why an operator cannot act', () => {
  const claimed = { operator_id: '9', email: 'bob@example.org', since: item.created_at }
  expect(whyNot(item, { may: true, open: true })).toBeUndefined()
  expect(whyNot(item, { may: false, open: true })).toMatch(/view this/)
  expect(whyNot({ ...item, own: true }, { may: true, open: true })).toMatch(/your own/)
  expect(whyNot({ ...item, claimed_by: { ...claimed, mine: false } }, { may: true, open: true })).toBe(
    'bob@example.org is working on this.',
  )
  expect(whyNot({ ...item, claimed_by: { ...claimed, mine: true } }, { may: true, open: true })).toBeUndefined()
})

test('moves through the list by keyboard and stops at its ends', () => {
  const items = [{ id: '1' }, { id: '2' }, { id: '3' }]
  const walk = (id: string | undefined, step: 1 | -1) => neighbour(items, id, step)?.id
  expect([walk(undefined, 1), walk('1', 1), walk('3', 1), walk('1', -1), walk('gone', -1)]).toEqual([
    '1',
    '2',
    '3',
    '1',
    '1',
  ])
  expect(neighbour([], '1', 1)).toBeUndefined()
})
