import { beforeAll, expect, test } from 'vitest'
import type { Incident } from '#contract/prices/incidents.ts'
import { MINUTE_MS, toIso } from '#kernel/time.ts'
import { haltPayouts } from '#server/cashier/index.ts'
import { closingsSince } from '#server/desk/index.ts'
import { readIncidents } from '#server/incidents/incidents.ts'
import { sql } from '#server/platform/database/db.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile({ max: 10 })

beforeAll(() => market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' }))

const incidents = (since = 0): Promise<Incident[]> =>
  readIncidents(database.db, { instruments: market.prices.instruments, closingsSince }, since)
const ofKind = async (kind: Incident['kind'], since = 0) =>
  (await incidents(since)).filter((incident) => incident.kind === kind)

test('void trades of a symbol are one entry with their reason, without names or amounts', async () => {
  expect(await incidents()).toEqual([])
  const [ada, eve] = [await market.trader(10_000n), await market.trader()]
  const lasting = [
    await market.submit(ada, { mode: 'real', amount: 10 }),
    await market.submit(eve, { amount: 20 }),
    await market.submit(eve, { amount: 30 }),
  ]
  const settled = await market.submit(eve, { amount: 10, symbol: 'ETHUSDT' })
  await market.frame({ BTCUSDT: '60001.00', ETHUSDT: '2600.10' })
  await market.pass(70_000, { symbols: ['ETHUSDT'] })
  await market.settled()
  expect(await market.trade(settled.trade_id)).toMatchObject({ status: expect.not.stringMatching('Void') })
  const [first] = lasting
  expect(await market.trade(first!.trade_id)).toMatchObject({ status: 'Void' })
  expect(await incidents()).toEqual([
    {
      kind: 'voids',
      from: expect.any(String),
      to: expect.any(String),
      symbol: 'BTCUSDT',
      reason: 'no_exit',
      real: 1,
      demo: 2,
    },
  ])
})

test('minutes without a price are an outage, and an old newest frame is an ongoing one', async () => {
  const minute = Math.floor(market.clock.now() / MINUTE_MS) * MINUTE_MS - 20 * MINUTE_MS
  const insert = (at: number, n: number) =>
    sql`insert into tape_minutes (minute, first_n, last_n, chain, last_hash)
        values (${at}, ${n}, ${n}, decode(repeat('00', 34), 'hex'), decode(repeat('00', 32), 'hex'))`.execute(
      database.db,
    )
  for (const [at, n] of [
    [minute, 1],
    [minute + MINUTE_MS, 2],
    [minute + 5 * MINUTE_MS, 3],
  ] as const)
    await insert(at, 1_000_000_000 + n)
  expect(await ofKind('no_prices')).toEqual([
    { kind: 'no_prices', from: toIso(minute + 2 * MINUTE_MS), to: toIso(minute + 5 * MINUTE_MS) },
  ])
  // This market's tape is ahead of the clock; an ongoing outage needs a newest frame in the past.
  const { rows } = await sql<{ t: bigint }>`select t from tape_head`.execute(database.db)
  const past = Date.now() - 10 * MINUTE_MS
  await sql`update tape_head set t = ${past}`.execute(database.db)
  expect(await ofKind('no_prices')).toContainEqual({ kind: 'no_prices', from: toIso(past), to: null })
  await sql`update tape_head set t = ${rows[0]!.t}`.execute(database.db)
})

test("a change of source names its symbols, and a symbol's first source doesn't count as a change", async () => {
  const at = market.clock.now()
  const symbols = ['BTCUSDT', 'ETHUSDT'].map((symbol) => market.prices.instruments.bySymbol(symbol)!.id)
  for (const id of symbols)
    await sql`insert into tape_kinds (symbol_id, source_ms, kind) values (${id}, ${at}, 0)`.execute(database.db)
  const [change] = await ofKind('source_changed')
  expect(change).toMatchObject({ was: 'simulation', is: 'live', from: toIso(at) })
  expect((change as { symbols: string[] }).symbols.sort()).toEqual(['BTCUSDT', 'ETHUSDT'])
})

test('a halt of payouts is ongoing until it ends, and older incidents than requested are not listed', async () => {
  await haltPayouts(database.db, [{ name: 'L3', says: 'a secret of the books', rows: ['{}'] }])
  const found = await ofKind('payouts_halted')
  expect(found).toEqual([{ kind: 'payouts_halted', from: expect.any(String), to: null }])
  expect(JSON.stringify(await incidents())).not.toContain('secret')
  expect(await ofKind('payouts_halted', Date.now() + MINUTE_MS)).toEqual([])
})
