import { afterAll, beforeAll, expect, test } from 'vitest'
import { TAGS_MOST } from '#contract/terms.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { storeTrades } from '#tests/support/trades/stored-trades.ts'
import { openAccounts } from '../../ledger/index.ts'
import { inTransaction } from '../../platform/database/db.ts'
import type { Instruments } from '../../prices/index.ts'
import { tradeHistory } from '../store.ts'
import { keepNote, noteOf, tagsOf } from './notes.ts'
import { tradeStatistics } from './statistics.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await inTransaction(database.db, async (tx) => {
    for (const id of [1n, 2n, 3n]) {
      await openUser(tx, id)
      await openAccounts(tx, id)
    }
  })
})
afterAll(() => database.drop())

const keep = (userId: bigint, tradeId: bigint, note: string, tags: string[]) =>
  keepNote(database.db, userId, tradeId, { note, tags })
const tradesOf = async (user: bigint, count: number) =>
  (await storeTrades(database, ...Array.from({ length: count }, () => ({ user, status: 'Won' as const })))).map(
    ({ id }) => id,
  )

test('keeps what a trader writes about their trades, and nobody else can', async () => {
  const [one, two] = (await tradesOf(1n, 2)) as [bigint, bigint]
  await keep(1n, one, 'Sold too early.', ['news', 'breakout'])
  await keep(1n, two, '', ['news'])
  expect(await keep(2n, one, 'mine', ['mine'])).toBeUndefined()
  expect(await noteOf(database.db, { id: one, account_id: 3n })).toEqual({
    note: 'Sold too early.',
    tags: ['news', 'breakout'],
  })
  expect(await tagsOf(database.db, 1n, 'demo')).toEqual(['breakout', 'news'])
  expect(await tagsOf(database.db, 1n, 'real')).toEqual([])
  expect(await tagsOf(database.db, 2n, 'demo')).toEqual([])

  const filter = { userId: 1n, mode: 'demo' as const }
  const listed = async (tag: string) => {
    const { rows } = await tradeHistory(database.db, { ...filter, tag, page: { after: undefined, limit: 10 } })
    return rows.map(({ id, note, tags }) => [id, note, tags])
  }
  expect(await listed('breakout')).toEqual([[one, 'Sold too early.', ['news', 'breakout']]])
  expect((await listed('news')).map(([id]) => id)).toEqual([two, one])
  expect(await listed('mine')).toEqual([])
  const instruments = { byId: () => instrument({ id: 1, symbol: 'BTCUSDT' }) } as unknown as Instruments
  const { trades, by } = await tradeStatistics(database.db, instruments, filter)
  expect(trades).toBe(2)
  expect(by.tag.map(({ key, trades, net }) => [key, trades, net]).sort()).toEqual([
    ['breakout', 1, 7.5],
    ['news', 2, 15],
  ])

  // What is removed from the last trade that has it is gone.
  await keep(1n, one, 'Sold too early.', [])
  expect(await tagsOf(database.db, 1n, 'demo')).toEqual(['news'])
  await keep(1n, one, '', [])
  expect(await noteOf(database.db, { id: one, account_id: 3n })).toBeUndefined()
})

test('an account has at most 100 different tags, also if many calls write at once', async () => {
  const ids = await tradesOf(2n, 30)
  const results = await Promise.allSettled(
    ids.map((id, n) =>
      keep(
        2n,
        id,
        '',
        Array.from({ length: 5 }, (_, tag) => `tag ${n}-${tag}`),
      ),
    ),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(10)
  for (const one of refused) expect(one).toMatchObject({ reason: { code: 'limit_reached' } })
  expect(await tagsOf(database.db, 2n, 'demo')).toHaveLength(TAGS_MOST)

  // A known tag has room, and one that is given up makes room for another.
  const [known] = await tagsOf(database.db, 2n, 'demo')
  const at = results.findIndex(({ status }) => status === 'rejected')
  await keep(2n, ids[at]!, 'full', [known!])
  await expect(keep(2n, ids[at]!, 'lost', ['another'])).rejects.toMatchObject({ code: 'limit_reached' })
  expect(await noteOf(database.db, { id: ids[at]!, account_id: 5n })).toEqual({ note: 'full', tags: [known] })
  const kept = results.findIndex(({ status }) => status === 'fulfilled')
  await keep(2n, ids[kept]!, '', [])
  await keep(2n, ids[at]!, '', ['another'])
  expect(await tagsOf(database.db, 2n, 'demo')).toHaveLength(
    TAGS_MOST - 4 + (known!.startsWith(`tag ${kept}-`) ? 0 : 0),
  )
})
