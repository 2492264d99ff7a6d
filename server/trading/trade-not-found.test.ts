import { expect, test } from 'vitest'
import { idFloor } from '#kernel/id.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { tradeNotFound } from './trade-not-found.ts'

test('an id from before the newest day that was archived or has expired says so', async () => {
  const database = await testDatabase()
  const says = async (id: bigint) => {
    const { code, message } = await tradeNotFound(database.db, id)
    return [code, message]
  }
  const midnight = idFloor(Date.UTC(2026, 8, 22))
  const nothing = ['not_found', 'Trade not found.']
  expect(await says(midnight)).toEqual(nothing)
  const owner = await connectTo(database.superUrl)
  await owner.query('set session_replication_role = replica')
  await owner.query(`
    insert into archived_days (day, trades, transfers, real_result, demo_result, last_at, leaves, object, parts, sha256, bytes)
    values ('2026-09-21', 1, 2, 0, 0, now(), decode(repeat('00', 32), 'hex'), '2026-09-21-0123456789abcdef', 1, decode(repeat('00', 32), 'hex'), 1)`)
  const later = idFloor(Date.UTC(2026, 8, 24))
  expect(await says(later)).toEqual(nothing)
  await owner.query(`
    insert into expired_days (day, trades, transfers, result, last_at, keys, trade_ids, leaves)
    values ('2026-09-23', 1, 2, 0, now(), 0, decode(repeat('00', 8), 'hex'), decode(repeat('00', 32), 'hex'))`)
  await owner.end()
  expect(await says(later)).toEqual([
    'not_found',
    'Trade not found. Trades in demo before 2026-09-24 may have expired.',
  ])
  expect(await says(midnight)).toEqual([
    'not_found',
    'Trade not found. Trades before 2026-09-22 may be archived: contact us for their records.',
  ])
  expect(await says(later + 1n)).toEqual(nothing)
})
