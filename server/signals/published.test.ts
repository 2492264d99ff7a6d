import { expect, test } from 'vitest'
import { hitRate, type Tally, tallyOf } from '#contract/prices/measured.ts'
import { LEADERBOARD_FROM, ownStrategyKey } from '#contract/terms.ts'
import type { SignalBucket } from '#contract/trading/signals.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { publishedIn } from './published.ts'
import { statisticsKey } from './statistics.ts'

const { database, market } = await marketOfFile()

/** Publishes strategies under these names, one after the other, and returns the number of each. */
async function publish(names: readonly string[]): Promise<Map<string, bigint>> {
  const owner = await market.trader()
  const client = await connectTo(database.superUrl)
  try {
    const { rows } = await client.query<{ id: bigint; name: string }>(
      `with own as (
         insert into own_strategies (user_id, name, kind) select $1, name, 'webhook' from unnest($2::text[]) name returning id, name
       ), version as (
         insert into own_strategy_versions (strategy_id, version, duration_seconds, symbol_ids, zone) select id, 1, 60, '{1}', 'UTC' from own
       ), published as (
         insert into published_strategies (strategy_id, name, first_version, published_at)
         select id, name, 1, timestamptz '2026-11-01' + array_position($2::text[], name) * interval '1 minute' from own
       )
       select id, name from own`,
      [owner, names],
    )
    return new Map(rows.map(({ name, id }) => [name, BigInt(id)]))
  } finally {
    await client.end()
  }
}

/** Returns the names in the order of the leaderboard, with these results. */
async function rankedBy(ids: ReadonlyMap<string, bigint>, tallies: Record<string, Tally>, version = 1) {
  const keyOf = (name: string) => statisticsKey(ownStrategyKey(ids.get(name)!), version)
  const entries = Object.entries(tallies)
  const buckets = entries.map(([name, { won, lost }]): [string, SignalBucket[]] => {
    // Over two hours and both sides.
    const [someWon, someLost] = [Math.floor(won / 3), Math.floor(lost / 2)]
    return [
      keyOf(name),
      [
        [0, someWon, 0, 0, someLost, 7, 3],
        [3_600_000, 0, lost - someLost, won - someWon, 0, 0, 9],
      ],
    ]
  })
  const shown = await publishedIn(
    { db: database.db, instruments: market.prices.instruments },
    { buckets: new Map(buckets), spreads: new Map(entries.map(([name, { spread }]) => [keyOf(name), spread])) },
  )
  return shown.map(({ name }) => name)
}

/** Signals at a close each. */
const apart = (won: number, lost: number) =>
  tallyOf([...Array(won).fill({ won: 1, lost: 0 }), ...Array(lost).fill({ won: 0, lost: 1 })])

test('ranks by the lower end of the interval from 100 decided signals on, and shows the best 50', async () => {
  expect(LEADERBOARD_FROM).toBe(100)
  const results = {
    // Below 100 decided signals: by their number, whatever they won.
    none: tallyOf([]),
    few: apart(12, 0),
    almost: apart(99, 0),
    // Exactly 100, and worse than a coin.
    poor: apart(40, 60),
    // Lucky: all signals at four closes.
    lucky: tallyOf([...Array(3).fill({ won: 25, lost: 0 }), { won: 5, lost: 20 }]),
    short: apart(64, 36),
    long: apart(600, 400),
  }
  const low = (name: keyof typeof results) => hitRate(results[name])!.low
  const rate = (name: keyof typeof results) => hitRate(results[name])!.rate
  expect(rate('lucky'), 'the highest rate').toBeGreaterThan(rate('short'))
  expect(rate('short')).toBeGreaterThan(rate('long'))
  expect(low('long'), 'the highest lower end').toBeGreaterThan(low('short'))
  expect(low('short')).toBeGreaterThan(low('poor'))
  expect(low('poor')).toBeGreaterThan(low('lucky'))
  const ranked = ['long', 'short', 'poor', 'lucky', 'almost', 'few']

  // Those with results are published first: without ranks, they would be the last.
  const others = Array.from({ length: 50 }, (_, n) => `other ${n}`)
  const ids = await publish([...Object.keys(results), ...others])
  const shown = await rankedBy(ids, results)
  expect(shown.slice(0, 6)).toEqual(ranked)
  expect(shown, 'ranked first and cut then').toHaveLength(50)
  expect(new Set(shown).size).toBe(50)
  // One more reaches the hundredth signal.
  expect((await rankedBy(ids, { ...results, almost: apart(100, 0) })).slice(0, 3)).toEqual(['almost', 'long', 'short'])
  // Results of a version that isn't the newest don't count.
  expect(await rankedBy(ids, results, 2)).not.toContain('long')
})
