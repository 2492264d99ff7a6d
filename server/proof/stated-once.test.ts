import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { inSnapshot } from '../platform/db.ts'
import { checkStatedOnce, type Span } from './stated-once.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Trades settled at noon. */
const IDS = Array.from({ length: 40 }, (_, i) => 1_000n + BigInt(i))
const NOON = '2026-01-05 12:00:00Z'

/** Stores these checkpoints, and the trades `IDS`, without anything else that belongs to them. */
async function stored(checkpoints: readonly (readonly bigint[])[]): Promise<Span[]> {
  const client = await connectTo(database.superUrl)
  try {
    await client.query("set session_replication_role = 'replica'; truncate checkpoints, trades cascade")
    await client.query(
      `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
         duration_seconds, trade_time, end_time, status, settled_at, payout, outcome_reason)
       select id, 1, 'demo', 3, 2, 10000, 'Buy', '75/3', 75, 1000, 60, 1, 60001, 'Void', $2, 1000, 'no price'
       from unnest($1::bigint[]) id`,
      [IDS, NOON],
    )
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

const check = (spans: readonly Span[], idsAtOnce: number, until: string | undefined = NOON) =>
  inSnapshot(database.db, (snapshot) => checkStatedOnce(snapshot, spans, until, idsAtOnce))

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
    expect(await check(spans, size)).toBe(`trade ${publicId(missing)} is settled, but in no checkpoint`)
    expect(await check(spans, size, '2026-01-05 11:59:59Z'), 'it may still come').toBeUndefined()
  }
})

test('archived trades stay in their checkpoints', async () => {
  const archived = [10n, 20n, 9_999n]
  expect(await check(await stored([archived.slice(0, 2), IDS, archived.slice(2)]), 5)).toBeUndefined()
})

test('without checkpoints, every settled trade is missing', async () => {
  expect(await check(await stored([]), 5)).toBe(`trade ${publicId(IDS[0]!)} is settled, but in no checkpoint`)
  expect(await inSnapshot(database.db, (snapshot) => checkStatedOnce(snapshot, [], undefined))).toBeUndefined()
})
