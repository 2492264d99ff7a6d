import { beforeAll, expect, test } from 'vitest'
import { MINUTE_MS, startOf } from '#kernel/time.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import type { Db } from '../../platform/database/db.ts'
import { readTicks, TicksDropped } from '../../prices/index.ts'
import { tickReader } from './tick-reader.ts'

const { database, market } = await marketOfFile()
let symbolId: number
let begin: number

beforeAll(async () => {
  market.clock.set(startOf(market.clock.now(), MINUTE_MS) + MINUTE_MS)
  begin = market.clock.now()
  symbolId = market.prices.instruments.bySymbol('BTCUSDT')!.id
  for (let second = 0; second < 150; second++)
    await market.frame({ BTCUSDT: `${60_000 + second}.00` }, { afterMs: 1_000 })
})

test('reads the ticks of a range, its ends included, across minutes', async () => {
  const read = tickReader(database.db)
  const [from, to] = [begin + 50_000, begin + 130_000]
  const ticks = await read(symbolId, from, to)
  const stored = await readTicks(database.db, symbolId, from, to)
  expect(ticks).toEqual(stored.map(({ seq, sourceMs, price, kind }) => ({ seq: BigInt(seq), sourceMs, price, kind })))
  expect([ticks[0]!.sourceMs, ticks.at(-1)!.sourceMs]).toEqual([from, to])
  expect(await read(symbolId, from, from)).toHaveLength(1)
  expect(await read(symbolId, from + 1, from + 999)).toEqual([])
})

test('reads each minute of a symbol once', async () => {
  let reads = 0
  const counting = database.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode') reads++
      return node
    },
    transformResult: async ({ result }) => result,
  }) as Db
  // Every read of ticks begins by looking up the symbol.
  const once = await readTicks(counting, symbolId, begin, begin).then(() => reads)
  const read = tickReader(counting)
  const readsOf = async (...ranges: [symbolId: number, from: number, to: number][]) => {
    reads = 0
    await Promise.all(ranges.map((range) => read(...range)))
    return reads / once
  }
  const range = [symbolId, begin + 1_000, begin + 5_000] as [number, number, number]
  expect(await readsOf(range, [symbolId, begin + 2_000, begin + 6_000])).toBe(1)
  expect(await readsOf([symbolId, begin + 59_999, begin + 60_000])).toBe(1)
  expect(await readsOf([symbolId + 1, begin + 1_000, begin + 5_000])).toBe(1)
  // The newest 2,000 are kept.
  for (let minute = 2; minute <= 1_999; minute++) await read(symbolId, begin - minute * 60_000, begin - minute * 60_000)
  expect(await readsOf([symbolId, begin + 60_000, begin + 60_000])).toBe(0)
  expect(await readsOf(range)).toBe(1)
})

test('next to a minute that is gone, the requested ticks are still read; within it, the read fails', async () => {
  const owner = await connectTo(database.superUrl)
  await owner.query('set session_replication_role = replica')
  // A packed minute without its body.
  await owner.query(
    `insert into tape_minutes (minute, first_n, last_n, chain, last_hash)
     values ($1, 1, 1, decode(repeat('00', 34), 'hex'), decode(repeat('00', 32), 'hex'))`,
    [begin + MINUTE_MS],
  )
  await owner.query('insert into candles (symbol_id, minute, open, high, low, close) values ($1, $2, 1, 1, 1, 1)', [
    symbolId,
    begin + MINUTE_MS,
  ])
  await owner.end()
  const read = tickReader(database.db)
  expect(await read(symbolId, begin + 50_000, begin + 56_000)).toHaveLength(7)
  await expect(read(symbolId, begin + 61_000, begin + 62_000)).rejects.toThrow(TicksDropped)
})

test('any other error is passed on', async () => {
  const read = tickReader(database.db)
  await expect(read(9_999, begin, begin + 1)).rejects.toThrow('no result')
})
