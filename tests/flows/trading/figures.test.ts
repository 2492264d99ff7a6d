import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Payout, WinRate } from '#contract/trading/figures.ts'
import { idFloor, idSource } from '#kernel/id.ts'
import { creditTime, payoutTime } from '#server/cashier/index.ts'
import { accountOf } from '#server/ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '#server/platform/database/db.ts'
import { countOn, winPercent, winRates } from '#server/trading/history/figures.ts'
import { startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

let app: WholeApp
let trader: Trader
beforeAll(async () => {
  app = await startWholeApp()
  trader = await app.trader()
})
afterAll(() => app.stop())

const MINUTE_MS = 60_000
let sources = 0
/** Returns a source of ids of that time. Each has its own node number, so ids never collide. */
const newId = (agoMs: number) => idSource(1_000 + (sources++ % 24), () => Date.now() - agoMs)

/** Inserts settled trades without their movements: only the rows are counted. */
async function settled(
  of: {
    count: number
    status: 'Won' | 'Lost' | 'Draw' | 'Void' | 'Pending'
    mode?: 'real' | 'demo'
    kind?: number
    stake?: bigint
  },
  agoMs = 10 * MINUTE_MS,
  db: Db | Tx = app.db,
) {
  const { count, status, mode = 'demo', kind = 2, stake = 1_234n } = of
  const next = newId(agoMs)
  const account = accountOf(BigInt(trader.id), mode)
  const time = BigInt(Date.now() - agoMs - 5_000)
  const exit = { Won: 101, Lost: 99, Draw: 100, Void: null, Pending: null }[status]
  const payout = { Won: stake + (stake * 75n + 50n) / 100n, Lost: 0n, Draw: stake, Void: stake, Pending: null }[status]
  const decided = exit !== null
  for (let n = 0; n < count; n++)
    await sql`
      insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
        duration_seconds, trade_time, end_time, status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq,
        settled_at, payout, outcome_reason)
      select ${next()}, ${account}, ${mode}, i.id, ${kind}, 10000, 'Buy', '75/3', 75, ${stake}, 5, ${time}, ${time + 5_000n}, ${status},
        ${decided ? 100 : null}, ${decided ? time + 1n : null}, ${decided ? 1 : null}, ${exit}, ${decided ? time + 5_000n : null},
        ${decided ? 2 : null}, ${status === 'Pending' ? null : new Date(Number(time) + 5_000)}, ${payout}, ${status === 'Pending' ? null : 'test'}
      from instruments i where i.symbol = 'BTCUSDT'`.execute(db)
}
const count = () => countOn(app.db, Date.now())
const counted = async () =>
  (
    await sql<{ mode: string; source_kind: number; won: bigint; lost: bigint; draws: bigint; voids: bigint }>`
    select mode, source_kind, won, lost, draws, voids from trade_figures order by mode, source_kind`.execute(app.db)
  ).rows
const get = async <T>(path: string): Promise<T> => {
  const { status, json, text } = await app.send('GET', `/api/public/${path}`)
  expect(status, text).toBe(200)
  return json!.data as T
}

test('reports nothing without trades', async () => {
  await count()
  expect(await winRates(app.db, 2)).toEqual([])
  expect(await get('payouts')).toEqual({ source: 'simulation', payouts: [] })
})

test('says how soon withdrawals are paid, from twenty paid within 30 days on', async () => {
  const next = newId(10 * MINUTE_MS)
  const old = newId(41 * 24 * 60 * MINUTE_MS)
  const client = await connectTo(app.superUrl)
  const paid = (ids: bigint[], hours: number, daysAgo = 3) =>
    client.query(
      `insert into withdrawals (id, user_id, method, bank_name, bank_type, bank_ending, bank_sealed, bank_fingerprint,
        amount, status, reference, created_at, processing_at, ended_at)
      select id, $1, 'bank', 'Bank', 'Checking', '6789', 'x', $2, 100, 'Paid', 'R', t, t, t + $3::interval
      from unnest($4::bigint[]) id, (select now() - $5::interval t) at`,
      [trader.id, Buffer.alloc(32), `${hours} hours`, ids.map(String), `${daysAgo} days`],
    )
  const some = (count: number, id: () => bigint) => Array.from({ length: count }, id)
  try {
    // Only the rows are read: they need no movements.
    await client.query("set session_replication_role = 'replica'")
    await paid(some(19, next), 7)
    await paid(some(5, old), 1, 41)
    expect(await payoutTime(app.db, Date.now())).toBeNull()
    // Requested before the 30 days, and paid within them.
    await paid(some(1, old), 20 * 24, 41)
    expect(await payoutTime(app.db, Date.now())).toEqual({ paid: 20, median_ms: 7 * 60 * MINUTE_MS })
  } finally {
    await client.query('delete from withdrawals')
    await client.end()
  }
})

test('says how soon coin deposits are credited, from twenty credited within 30 days on', async () => {
  const next = newId(10 * MINUTE_MS)
  const old = newId(41 * 24 * 60 * MINUTE_MS)
  const client = await connectTo(app.superUrl)
  const submitted = (
    ids: bigint[],
    method: 'crypto' | 'card',
    status: 'Approved' | 'Rejected',
    minutes: number,
    { hasReceipt = true, daysAgo = 3 } = {},
  ) =>
    client.query(
      `insert into deposits (id, user_id, method, coin, coin_amount, rate, address, submitted, status, credited, reason,
        receipt, receipt_hash, provider_reference, checkout_closed_at, created_at, decided_at, requested_at)
      select id, $1, $2::deposit_method, c.coin, c.amount, c.amount, c.address, 100, $3::deposit_status, c.credited,
        c.reason, case when $6 then lpad(to_hex(id), 40, '0') end, case when $6 then sha256('r') end, c.reference, t, t,
        t + $4::interval, null
      from unnest($5::bigint[]) id, (select now() - $7::interval t) at, lateral (select
        case when $2 = 'crypto' then 'BTC'::coin end coin, case when $2 = 'crypto' then 1 end amount,
        case when $2 = 'crypto' then 'x' end address, case when $3 = 'Approved' then 100 end credited,
        case when $3 = 'Rejected' then 'x' end reason, case when $2 = 'card' then 'p' || id end reference) c`,
      [
        ...[trader.id, method, status, `${minutes} minutes`, ids.map(String), method === 'crypto' && hasReceipt],
        `${daysAgo} days`,
      ],
    )
  const some = (count: number, id: () => bigint) => Array.from({ length: count }, id)
  try {
    await client.query("set session_replication_role = 'replica'")
    await submitted(some(19, next), 'crypto', 'Approved', 42)
    await submitted(some(5, old), 'crypto', 'Approved', 1, { daysAgo: 41 })
    await submitted(some(5, next), 'crypto', 'Rejected', 1)
    await submitted(some(5, next), 'card', 'Approved', 1)
    // Operators assigned them to a trader.
    await submitted(some(5, next), 'crypto', 'Approved', 1, { hasReceipt: false })
    expect(await creditTime(app.db, Date.now())).toBeNull()
    // Submitted before the 30 days, and credited within them.
    await submitted(some(1, old), 'crypto', 'Approved', 20 * 24 * 60, { daysAgo: 41 })
    expect(await creditTime(app.db, Date.now())).toEqual({ credited: 20, median_ms: 42 * MINUTE_MS })
  } finally {
    await client.query('delete from deposits')
    await client.end()
  }
})

test('counts settled trades once, by mode and price source, without waiting for an open one', async () => {
  await sql`update trade_figures_head set counted_to = 0`.execute(app.db)
  await settled({ count: 60, status: 'Won' })
  await settled({ count: 39, status: 'Lost' }, 9 * MINUTE_MS)
  await settled({ count: 2, status: 'Draw' }, 8 * MINUTE_MS)
  await settled({ count: 1, status: 'Void' }, 8 * MINUTE_MS - 1_000)
  await settled({ count: 3, status: 'Won', kind: 0 }, 8 * MINUTE_MS - 2_000)
  // A pending trade is counted once it is settled, and holds up no other.
  await settled({ count: 1, status: 'Pending' }, 5 * MINUTE_MS)
  await settled({ count: 1, status: 'Lost' }, 4 * MINUTE_MS)
  // Too new to be counted: a trade with a smaller id may still be uncommitted.
  await settled({ count: 5, status: 'Won' }, 10_000)
  await Promise.all([count(), count(), count()])
  await count()
  const expected = [
    { mode: 'demo', source_kind: 0, won: 3n, lost: 0n, draws: 0n, voids: 0n },
    { mode: 'demo', source_kind: 2, won: 60n, lost: 40n, draws: 2n, voids: 1n },
  ]
  expect(await counted()).toEqual(expected)
  await count()
  expect(await counted(), 'the open trade is passed once').toEqual(expected)
  expect(await winRates(app.db, 0), '3 decided trades say nothing').toEqual([])

  await sql`update trades set status = 'Void', payout = stake, settled_at = now(), outcome_reason = 'test' where status = 'Pending'`.execute(
    app.db,
  )
  await Promise.all([count(), count(), count()])
  expect((await counted())[1]).toEqual({ mode: 'demo', source_kind: 2, won: 60n, lost: 40n, draws: 2n, voids: 2n })
})

test('passes a bounded number of trades in each step and run, and continues in the next', async () => {
  await count()
  await sql`update trade_figures set won = 0, lost = 0, draws = 0, voids = 0`.execute(app.db)
  await sql`delete from trade_figures_open`.execute(app.db)
  await sql`update trade_figures_head set counted_to = 0`.execute(app.db)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from trades where id <= ${idFloor(Date.now() - MINUTE_MS)}`.execute(app.db)
  const total = rows[0]!.n
  expect(total).toBeGreaterThan(100)
  const passed = async () => {
    const { rows: of } = await sql<{ n: number }>`
      select count(*)::int as n from trades where id <= (select counted_to from trade_figures_head)`.execute(app.db)
    return of[0]!.n
  }
  await countOn(app.db, Date.now(), 2)
  expect(await passed(), 'twenty steps of two').toBe(40)
  await countOn(app.db, Date.now(), 20)
  expect(await passed(), 'all').toBe(total)
  const sums = (await counted()).reduce((sum, { won, lost, draws, voids }) => sum + won + lost + draws + voids, 0n)
  const { rows: open } = await sql<{ n: number }>`select count(*)::int as n from trade_figures_open`.execute(app.db)
  expect(Number(sums) + open[0]!.n, 'each is counted once').toBe(total)
})

test('counts nothing twice after the clock was set back', async () => {
  const before = await counted()
  await countOn(app.db, Date.now() - 3_600_000)
  await count()
  expect(await counted()).toEqual(before)
})

test('reports a win rate from a hundred decided trades, with sample and dates, for the current price source', async () => {
  const { source, win_rates } = await get<{ source: string; win_rates: WinRate[] }>('figures')
  expect(source).toBe('simulation')
  expect(win_rates).toMatchObject([{ mode: 'demo', percent: 60, won: 60, lost: 40, draws: 2, voids: 2 }])
  const [{ from, to }] = win_rates as [WinRate]
  expect(Date.parse(from)).toBeLessThan(Date.parse(to))
})

test('lists anonymous winning real trades, newest first, in whole dollars and minutes', async () => {
  await settled({ count: 1, status: 'Won', mode: 'real', stake: 1_999n }, 3 * MINUTE_MS)
  await settled({ count: 1, status: 'Won', mode: 'real', stake: 50_050n }, 2 * MINUTE_MS)
  await settled({ count: 1, status: 'Won', mode: 'real', kind: 0 }, MINUTE_MS)
  await settled({ count: 1, status: 'Lost', mode: 'real' }, MINUTE_MS)
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  const { payouts } = await get<{ payouts: Payout[] }>('payouts')
  expect(payouts).toEqual([
    { symbol: 'BTCUSDT', trade_mode: 'Buy', stake: 500, payout: 875, at: expect.stringMatching(/:00\.000Z$/) },
    { symbol: 'BTCUSDT', trade_mode: 'Buy', stake: 19, payout: 34, at: expect.stringMatching(/:00\.000Z$/) },
  ])
})

test('rounds a rate down', () => {
  expect(winPercent(2n, 1n)).toBe(66.6)
  expect(winPercent(999n, 1n)).toBe(99.9)
  expect(winPercent(0n, 100n)).toBe(0)
})

// Last: it counts as if ten minutes had passed.
test('counts a trade whose transaction commits late', async () => {
  // No other trade has replayed prices.
  const won = async () => (await counted()).find((row) => row.source_kind === 1)?.won
  const [inserted, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = inTransaction(app.db, async (tx) => {
    await settled({ count: 1, status: 'Won', kind: 1 }, 0, tx)
    inserted.resolve()
    await committed.promise
  })
  await inserted.promise
  const muchLater = () => countOn(app.db, Date.now() + 10 * MINUTE_MS)
  await muchLater()
  committed.resolve()
  await late
  await muchLater()
  expect(await won()).toBe(1n)
})
