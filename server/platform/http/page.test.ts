import { describe, expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { listReply, pageOf } from './page.ts'

describe('pageOf', () => {
  test('returns the first page of the default size for an empty query', () => {
    expect(pageOf({})).toEqual({ after: undefined, limit: 50 })
  })

  test('parses the size and a public id', () => {
    expect(pageOf({ limit: '7', cursor: publicId(42n) })).toEqual({ after: 42n, limit: 7 })
  })

  test.each(['', '%', '42', publicId(42n).toLowerCase(), `${publicId(42n)}0`, 'ZZZZZZZZZZZZZ'])(
    'rejects a cursor of %j',
    (cursor) => {
      expect(() => pageOf({ cursor })).toThrow(expect.objectContaining({ code: 'validation_failed' }))
    },
  )

  test('reads the cursor with the parser of the list', () => {
    expect(pageOf({ cursor: '42' }, BigInt).after).toBe(42n)
    expect(() => pageOf({ cursor: publicId(42n) }, () => undefined)).toThrow()
  })
})

describe('listReply', () => {
  const rows = [{ id: 3n }, { id: 2n }, { id: 1n }]
  const view = ({ id }: { id: bigint }) => Number(id)

  test('cuts the extra row and names the last one shown', () => {
    expect(listReply(rows, { after: undefined, limit: 2 }, view)).toEqual({
      status: true,
      data: [3, 2],
      next_cursor: publicId(2n),
    })
  })

  test('has no cursor on the last page', () => {
    expect(listReply(rows, { after: undefined, limit: 3 }, view)).toEqual({ status: true, data: [3, 2, 1] })
  })

  test('writes the cursor in the format of the list', () => {
    expect(listReply(rows, { after: undefined, limit: 1 }, view, String)).toHaveProperty('next_cursor', '3')
  })
})
