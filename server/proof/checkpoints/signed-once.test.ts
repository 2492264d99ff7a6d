import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { inSnapshot } from '../../platform/database/db.ts'
import { checkSignedOnce, type Span } from './signed-once.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Trades settled at noon. */
const IDS = Array.from({ length: 40 }, (_, i) => 1_000n + BigInt(i))
const NOON = '2026-01-05 12:00:00Z'

/** Stores these checkpoints, the trades `IDS`, and which of them await a checkpoint, without anything else that belongs to them. */
async function stored(checkpoints: readonly (readonly bigint[])[], waiting: readonly bigint[] = []): Promise<Span[]> {
  const client = await connectTo(database.superUrl)
  try {
    await client.query(
      "set session_replication_role = 'replica'; truncate checkpoints, trades, unstated_trades cascade",
    )
    await client.query(
      `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
         duration_seconds, trade_time, end_time, status, settled_at, payout, outcome_reason)
       select id, 1, 'demo', 3, 2, 10000, 'Buy', '75/3', 75, 1000, 60, 1, 60001, 'Void', $2, 1000, 'no price'
       from unnest($1::bigint[]) id`,
      [IDS, NOON],
    )
    await client.query('insert into unstated_trades (account_id, trade_id) select 1, unnest($1::bigint[])', [waiting])
    for (const [index, ids] of checkpoints.entries()) {
      const bytes = Buffer.alloc(8 * ids.length)
      for (const [i, id] of ids.entries()) bytes.writeBigInt64BE(id, 8 * i)
      await client.query(
        `insert into checkpoints (frame, epoch, t, hash, trade_ids, leaves, root, settled_until, key, signature)
         values ($1, 1, $1, sha256(''), $2, $3, sha256(''), $4, 'key', decode(repeat('00', 64), 'hex'))`,
        [index + 1, bytes, Buffer.alloc(32 * ids.length), NOON],
      )
    }
  } finally {
    await client.end()
  }
  return checkpoints.flatMap((ids, index) => {
    const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1))
    const [first, last] = [sorted[0], sorted.at(-1)]
    if (first === undefined || last === undefined) return []
    return [{ frame: BigInt(index + 1), first, last, trades: ids.length }]
  })
}

const check = (spans: readonly Span[], idsAtOnce: number) =>
  inSnapshot(database.db, (snapshot) => checkSignedOnce(snapshot, spans, idsAtOnce))

/** Trades settle in another order than they are placed: each checkpoint has ids among those of its neighbours. */
const mixed = (ids: readonly bigint[]) =>
  Array.from({ length: 8 }, (_, part) => ids.filter((_, i) => (i + Math.floor(i / 5)) % 8 === part).toReversed())

const SIZES = [1, 3, 7, 40, 1_000]

test.each(SIZES)('finds nothing wrong if each trade is in one checkpoint, with %i ids at once', async (size) => {
  expect(await check(await stored([...mixed(IDS), []]), size)).toBeUndefined()
  expect(await check(await stored([IDS.slice(0, 20), [], IDS.slice(20)]), size)).toBeUndefined()
})

test.each(SIZES)('finds any trade that is in two checkpoints, with %i ids at once', async (size) => {
  for (const twice of [IDS[0]!, IDS[19]!, IDS[39]!]) {
    const spans = await stored([...mixed(IDS), [twice]])
    expect(await check(spans, size)).toBe(`checkpoint at frame 9: trade ${publicId(twice)} is in an earlier one too`)
  }
})

test.each(SIZES)('finds any trade that is in none, with %i ids at once', async (size) => {
  for (const missing of [IDS[0]!, IDS[19]!, IDS[39]!]) {
    const spans = await stored(mixed(IDS).map((ids) => ids.filter((id) => id !== missing)))
    expect(await check(spans, size)).toBe(
      `trade ${publicId(missing)} is settled, but in no checkpoint, and awaits none`,
    )
  }
})

test.each(SIZES)('trades may await their checkpoint, with %i ids at once', async (size) => {
  expect(
    await check(await stored([IDS.slice(5, 30), []], [...IDS.slice(0, 5), ...IDS.slice(30)]), size),
  ).toBeUndefined()
  expect(await check(await stored([], IDS), size)).toBeUndefined()
})

test.each(SIZES)('finds any trade that is in a checkpoint and awaits another, with %i ids at once', async (size) => {
  for (const both of [IDS[0]!, IDS[19]!, IDS[39]!])
    expect(await check(await stored(mixed(IDS), [both]), size)).toBe(
      `trade ${publicId(both)} is in a checkpoint, and awaits another`,
    )
})

test('finds a trade that awaits a checkpoint and is not settled', async () => {
  const open = 77n
  expect(await check(await stored([IDS], [open]), 7)).toBe(
    `trade ${publicId(open)} awaits a checkpoint, but isn't settled`,
  )
})

test('the migration adds the trades that no checkpoint has, however old, and removes those that one has', async () => {
  const spans = await stored([IDS.slice(10, 20), [9_999n], IDS.slice(25)], IDS.slice(15, 22))
  const client = await connectTo(database.superUrl)
  await client.query('drop trigger checkpoints_state_trades on checkpoints')
  await client.query('drop function checkpoints_state_trades, stated_ids')
  await client.query(
    readFileSync(new URL('../../../db/migrations/0073_state_trades_once.sql', import.meta.url), 'utf8'),
  )
  const { rows } = await client.query('select trade_id from unstated_trades order by trade_id')
  await client.end()
  expect(rows.map(({ trade_id }) => trade_id)).toEqual([...IDS.slice(0, 10), ...IDS.slice(20, 25)])
  expect(await check(spans, 7)).toBeUndefined()
})

test('archived trades stay in their checkpoints', async () => {
  const archived = [10n, 20n, 9_999n]
  expect(await check(await stored([archived.slice(0, 2), IDS, archived.slice(2)]), 5)).toBeUndefined()
})

test('without checkpoints, every settled trade is missing', async () => {
  expect(await check(await stored([]), 5)).toBe(
    `trade ${publicId(IDS[0]!)} is settled, but in no checkpoint, and awaits none`,
  )
})
