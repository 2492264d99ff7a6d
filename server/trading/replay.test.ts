import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/database.ts'
import { replayAll } from './replay.ts'

test('each page of trades is compared with ticks that were read after it', async () => {
  const { db } = await testDatabase()
  const rows = Array.from({ length: 1_001 }, (_, at) => ({ id: BigInt(at + 1), symbol_id: 1 }))
  const order: string[] = []
  const verdict = await replayAll({
    db,
    openTicks() {
      order.push('ticks')
      return async () => []
    },
    async read(after, limit) {
      order.push('rows')
      return rows.filter(({ id }) => id > after).slice(0, limit)
    },
    numberOf: ({ id }) => id,
    difference: async () => undefined,
  })
  expect(verdict).toEqual({ checked: 1_001, dropped: 0 })
  expect(order).toEqual(['rows', 'ticks', 'rows', 'ticks'])
})
