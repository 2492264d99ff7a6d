import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { tallyOf } from '#contract/prices/measured.ts'
import type { StrategyId } from '#contract/terms.ts'
import type { RetiredVersion } from '#contract/trading/signals.ts'
import { usd } from '#kernel/money.ts'
import { signalChecks } from '#server/invariants/checks/signals.ts'
import { sql } from '#server/platform/database/db.ts'
import { createDecider, type Draft } from '#server/signals/decide.ts'
import { judgeDue } from '#server/signals/judge.ts'
import { recordSignals, type SignalRow } from '#server/signals/record.ts'
import { replaySignals } from '#server/signals/replay.ts'
import { signalsRoutes } from '#server/signals/routes.ts'
import { outcomesOf, readStatistics } from '#server/signals/statistics.ts'
import type { Strategy } from '#server/strategies/index.ts'
import { decideOutcome, RULE_VERSION, type Terms, type Tick, tickReader } from '#server/trading/index.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()

const strategy = (id: StrategyId, decide: Strategy['decide'], needs = 2): Strategy => ({
  ...{ id, version: 1, name: id, rule: 'A rule.', parameters: { candles: needs }, needs },
  decide: (candles, about) => (candles.length < needs ? undefined : decide(candles.slice(-needs), about)),
})
const ALWAYS = [strategy('trend', () => 'Buy'), strategy('breakout', () => 'Sell')]

const deciderOf = (strategies: readonly Strategy[]) =>
  createDecider({ tape: market.prices.tape, instruments: market.prices.instruments, strategies })

let cents = 6_000_000
/** Advances time with one frame a second, and records the strategies' signals. */
async function run(seconds: number, strategies = ALWAYS): Promise<SignalRow[]> {
  const decider = deciderOf(strategies)
  const rows: SignalRow[] = []
  for (let i = 0; i < seconds; i++) {
    cents += ((cents * 7919) % 13) - 6
    await market.frame({ BTCUSDT: (cents / 100).toFixed(2), ETHUSDT: '2600.00' }, { afterMs: 1_000 })
    rows.push(...(await recordSignals(database.db, await decider.newDrafts())))
  }
  return rows
}

const judged = async () => {
  while ((await judgeDue(database.db, market.prices.tape, market.prices.instruments)) > 0);
}

async function broken(): Promise<string[]> {
  const client = await connectTo(database.superUrl)
  const names: string[] = []
  for (const check of signalChecks) if ((await client.query(check.sql)).rows.length > 0) names.push(check.name)
  await client.end()
  return names
}

test('a signal is recorded after its candle closes and before its entry exists, and decided like a trade', async () => {
  const rows = await run(400)
  const symbols = new Set(rows.map((row) => market.prices.instruments.byId(row.symbol_id)!.symbol))
  expect(symbols).toEqual(new Set(['BTCUSDT', 'ETHUSDT']))
  expect(new Set(rows.map((row) => row.duration_seconds))).toContain(60)
  await judged()
  const done = await database.db
    .selectFrom('signals')
    .selectAll()
    .where('status', '<>', 'Pending')
    .orderBy('n')
    .execute()
  expect(new Set(done.map((row) => row.status))).toEqual(new Set(['Won', 'Lost', 'Draw']))
  const read = tickReader(database.db)
  for (const row of done) {
    expect(Number(row.at)).toBeGreaterThanOrEqual(Number(row.candle_close))
    expect(Number(row.at) - Number(row.candle_close)).toBeLessThanOrEqual(5_000)
    expect(row.entry_time! > row.at).toBe(true)
    const published = await database.db
      .selectFrom('ticks')
      .select('frame')
      .where('symbol_id', '=', row.symbol_id)
      .where('source_ms', '=', row.entry_time!)
      .executeTakeFirstOrThrow()
    expect(published.frame > row.frame, 'the entry was published after the signal').toBe(true)
    const ticks: Tick[] = await read(row.symbol_id, Number(row.at), Number(row.end_time))
    const terms: Terms = {
      ...{ side: row.side, stake: usd(100n), percent: 75, staleAfterMs: 10_000, sourceKind: 2, rule: RULE_VERSION },
      ...{ tradeTime: Number(row.at), endTime: Number(row.end_time) },
    }
    const outcome = decideOutcome(terms, ticks)
    expect(row).toMatchObject({
      status: outcome.status,
      outcome_reason: outcome.reason,
      entry_price: outcome.entry?.price ?? null,
      exit_price: outcome.exit?.price ?? null,
    })
  }
  expect(await broken()).toEqual([])
  expect(await replaySignals(database.db, () => tickReader(database.db))).toEqual({ checked: done.length, dropped: 0 })
})

test('a decision uses only closed candles, as they are on the tape', async () => {
  const seen: { close: number; last: number; count: number }[] = []
  await run(130, [
    strategy('trend', (candles, { symbol, durationSeconds }) => {
      const last = candles.at(-1)!
      if (symbol === 'BTCUSDT' && durationSeconds === 60)
        seen.push({ close: last.close, last: last.time, count: candles.length })
      return 'Buy'
    }),
  ])
  expect(seen.length).toBeGreaterThanOrEqual(2)
  for (const { close, last, count } of seen) {
    const { rows } = await sql<{ price: bigint; source_ms: bigint }>`
      select price, source_ms from ticks where symbol_id = 3 and source_ms < ${last + 60_000} order by source_ms desc limit 1`.execute(
      database.db,
    )
    expect(BigInt(close)).toBe(rows[0]!.price)
    expect(Number(rows[0]!.source_ms)).toBeGreaterThanOrEqual(last)
    expect(count).toBe(2)
  }
})

test('two workers that see the same close record each signal once', async () => {
  const deciders = [deciderOf(ALWAYS), deciderOf(ALWAYS), deciderOf(ALWAYS)]
  const rows: SignalRow[] = []
  for (let i = 0; i < 65; i++) {
    await market.frame({ BTCUSDT: (++cents / 100).toFixed(2) }, { afterMs: 1_000 })
    const drafts = await Promise.all(deciders.map((decider) => decider.newDrafts()))
    rows.push(...(await Promise.all(drafts.map((list) => recordSignals(database.db, list)))).flat())
  }
  const places = rows.map((row) => `${row.candle_close} ${row.symbol_id} ${row.strategy} ${row.duration_seconds}`)
  expect(places.length).toBeGreaterThan(0)
  expect(new Set(places).size).toBe(places.length)
  expect(await broken()).toEqual([])
})

test('a late close gives no signal: the decider skips it after a pause, and the database rejects it', async () => {
  const decider = deciderOf(ALWAYS)
  await market.frame({ BTCUSDT: '60000.00' }, { afterMs: 60_000 - (market.clock.now() % 60_000) + 6_000 })
  expect(await decider.newDrafts()).toEqual([])

  const close = Math.floor(market.clock.now() / 60_000) * 60_000
  const draft: Draft = {
    strategy: 'trend',
    version: 1,
    symbolId: 3,
    side: 'Buy',
    durationSeconds: 60,
    sourceKind: 2,
    staleAfterMs: 10_000,
    candleClose: close,
    seal: null,
  }
  expect(await recordSignals(database.db, [draft])).toEqual([])
  const planted = database.db.insertInto('signals').values({
    ...{ strategy: 'trend', version: 1, symbol_id: 3, side: 'Buy', duration_seconds: 60, candle_close: BigInt(close) },
    ...{ source_kind: 2, stale_after_ms: 10_000, n: 1n, at: 0n, frame: 0n },
    ...{ previous: Buffer.alloc(32), hash: Buffer.alloc(32) },
  })
  await expect(planted.execute()).rejects.toThrow(/signals_on_time/)
})

test('a recorded signal is final: the application can change neither its terms nor a stored outcome', async () => {
  const statements = [
    "update signals set side = 'Sell' where n = 1",
    'update signals set hash = previous where n = 1',
    "update signals set status = 'Won' where n = 1",
    'delete from signals where n = 1',
    'update signal_head set hash = hash',
  ]
  for (const statement of statements)
    await expect(sql.raw(statement).execute(database.db), statement).rejects.toThrow(/denied|refuse|final|change/)
})

test('older versions of a strategy keep their figures, marked as retired', async () => {
  await run(70)
  await judged()
  const { tape, instruments } = market.prices
  const next = ALWAYS.map((one) => (one.id === 'trend' ? { ...one, version: 3 } : one))
  const routes = signalsRoutes({ clock: market.clock, tape, instruments, strategies: next })
  const statistics = async () => {
    const reply = await routes['GET /public/signals/statistics']({
      query: { period: 'all' },
      reads: database.db,
    } as never)
    if (!('data' in reply)) throw new Error('no statistics were answered')
    const { strategies, retired } = reply.data
    const named = (list: readonly RetiredVersion[]) =>
      list.map(({ id, version, buckets }) => `${id} ${version}: ${buckets.length > 0 ? 'signals' : 'none'}`)
    return { strategies: named(strategies), retired: named(retired) }
  }
  expect(await statistics()).toEqual({
    strategies: ['trend 3: none', 'breakout 1: signals'],
    retired: ['trend 1: signals'],
  })
})

test('statistics add up to the signals, and the chain can be recomputed from its download', async () => {
  await run(70)
  await judged()
  const { prices } = market
  const about = { durationSeconds: undefined, sourceKind: 2, now: market.clock.now() }
  const { buckets } = await readStatistics(database.db, { ...about, period: '24h' })
  const { rows } = await sql<{ won: bigint; all: bigint }>`
    select count(*) filter (where status = 'Won' and side = 'Buy') as won, count(*) as all
    from signals where strategy = 'trend' and status <> 'Pending'`.execute(database.db)
  const total = buckets
    .get('trend 1')!
    .reduce((sum, [, ...counts]) => sum.map((n, i) => n + counts[i]!), [0, 0, 0, 0, 0, 0])
  expect(total[0]).toBe(Number(rows[0]!.won))
  expect(total.reduce((sum, n) => sum + n)).toBe(Number(rows[0]!.all))
  const ofOneMinute = await readStatistics(database.db, { ...about, durationSeconds: 60, period: 'all' })
  const [signals] = ofOneMinute.buckets.get('breakout 1')!
  expect(signals![1] + signals![2], 'breakout only sells').toBe(0)

  const closes = await sql<{ won: number; lost: number }>`
    select count(*) filter (where status = 'Won')::int as won, count(*) filter (where status = 'Lost')::int as lost
    from signals where strategy = 'breakout' and duration_seconds = 60 group by candle_close`.execute(database.db)
  const { won, lost, spread } = tallyOf(closes.rows)
  expect(spread.closes).toBeGreaterThan(5)
  expect(ofOneMinute.spreads.get('breakout 1')).toEqual(spread)
  const ofBreakout = { strategy: 'breakout', version: 1, durationSeconds: 60, sourceKind: 2 } as const
  const nothing = tallyOf([])
  const sells = { won, lost, spread }
  expect(await outcomesOf(database.db, ofBreakout)).toEqual({ both: sells, Sell: sells, Buy: nothing })

  const routes = signalsRoutes({
    ...{ db: database.db, clock: market.clock, tape: prices.tape, instruments: prices.instruments },
    strategies: ALWAYS,
  })
  const reply = await routes['GET /public/signals/chain']({ query: { from: '1' }, reads: database.db } as never)
  const lines = (await text((reply as unknown as { content: Readable }).content)).trimEnd().split('\r\n')
  const columns = lines[0]!.split(',')
  let previous = Buffer.alloc(32)
  for (const line of lines.slice(1)) {
    const cells = line.split(',')
    const hashed = cells.slice(0, columns.indexOf('previous')).join(',')
    const hash = createHash('sha256').update(previous).update(hashed).digest()
    expect(cells[columns.indexOf('hash')]).toBe(hash.toString('hex'))
    previous = hash
  }
  expect(lines.length).toBeGreaterThan(20)
})

test.each([
  'update signal_closes set buy_won = buy_won + 1 where buy_won > 0',
  'update signal_spreads set ww = ww + 1',
  "update signal_spreads set won = won + 1 where sides = 'both'",
  "delete from signal_spreads where sides = 'Sell'",
])('verify finds figures that were changed: %s', async (change) => {
  const client = await connectTo(database.superUrl)
  await client.query('begin')
  try {
    expect((await client.query(change)).rowCount).toBeGreaterThan(0)
    const found: string[] = []
    for (const { name, sql: check } of signalChecks) if ((await client.query(check)).rows.length > 0) found.push(name)
    expect(new Set(found)).toEqual(new Set(['S2']))
  } finally {
    await client.query('rollback')
    await client.end()
  }
})

test('two workers that judge the signals of a close count each of them once', async () => {
  await run(130)
  const { tape, instruments } = market.prices
  await Promise.all(Array.from({ length: 4 }, () => judgeDue(database.db, tape, instruments)))
  await judged()
  expect(await broken()).toEqual([])
})
