import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { connectTo, createTestDatabase } from '#tests/support/servers/database.ts'
import { marketOfFile, openMarket } from '#tests/support/trades/market.ts'
import { sql } from '../platform/database/db.ts'
import { decodeFrame, verifyTape } from '../prices/index.ts'
import { verifyOrders } from './verify-orders.ts'

const { database, market } = await marketOfFile()
beforeEach(() => market.frame({ BTCUSDT: '60000.00' }))
afterAll(async () => {
  expect(await market.broken()).toEqual([])
  expect((await verifyTape(database.db)).broken).toBeUndefined()
  expect((await verifyOrders(database.db, market.prices.instruments)).broken).toBeUndefined()
})

interface BoundRow {
  frame: bigint
  t: bigint
  trade_ids: string[]
  leaves: Buffer
  body: Buffer
}
const bound = async () =>
  (
    await sql<BoundRow>`select o.*, f.body from frame_orders o join frames f on f.n = o.frame order by frame`.execute(
      database.db,
    )
  ).rows
const waiting = async () =>
  (await sql<{ id: string }>`select unnest(trade_ids)::text as id from unbound_orders`.execute(database.db)).rows.length
const idOf = ({ trade_id }: { trade_id: string }) => String(parsePublicId(trade_id)!)

test('the next frame binds all orders since the one before, by the hashes that their traders were given', async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => market.trader()))
  const trades = await Promise.all(users.map((user) => market.submit(user)))
  expect(await waiting()).toBe(5)
  await market.frame()
  expect(await waiting()).toBe(0)
  const last = (await bound()).at(-1)!
  expect(last.trade_ids).toEqual(trades.map(idOf).toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)))
  for (const trade of trades) {
    const at = last.trade_ids.indexOf(idOf(trade))
    expect(last.leaves.subarray(32 * at, 32 * at + 32).toString('hex')).toBe(trade.order_hash)
  }
  const { orders, entries } = decodeFrame(Number(last.t), last.body)
  expect(orders!.count).toBe(5)
  expect(entries).toEqual([])
})

test('a frame without orders is of version 1, and one with orders has prices too', async () => {
  await market.frame({ BTCUSDT: '60001.00' })
  const { rows } = await sql<{ body: Buffer }>`select body from frames order by n desc limit 1`.execute(database.db)
  expect(rows[0]!.body[0]).toBe(1)
  await market.submit(await market.trader())
  await market.frame({ BTCUSDT: '60002.00' })
  const { body, t } = (await bound()).at(-1)!
  expect(body[0]).toBe(2)
  expect(decodeFrame(Number(t), body).entries).toHaveLength(1)
})

test('a repeated key gives the same hash, before and after the trade settled', async () => {
  const user = await market.trader()
  const first = await market.submit(user, { key: 'again' })
  expect((await market.submit(user, { key: 'again' })).order_hash).toBe(first.order_hash)
  await market.frame({ BTCUSDT: '60003.00' })
  await market.pass(70_000)
  await market.settled()
  const again = await market.submit(user, { key: 'again' })
  expect(again).toEqual(first)
  expect(again.order_hash).toMatch(/^[0-9a-f]{64}$/)
})

test('two orders with the same terms have different hashes', async () => {
  const user = await market.trader()
  const [one, two] = [await market.submit(user), await market.submit(user)]
  const { rows } = await sql<{ salt: Buffer }>`
    select salt from trades where id in (${idOf(one)}, ${idOf(two)})`.execute(database.db)
  expect(new Set(rows.map(({ salt }) => salt.toString('hex'))).size).toBe(2)
  expect(one.order_hash).not.toBe(two.order_hash)
})

/** A market of a test that leaves rows that belong to no account, or breaks some. */
async function ownMarket() {
  const own = await createTestDatabase({ max: 20 })
  const opened = await openMarket(own)
  onTestFinished(async () => {
    await opened.close()
    await own.drop()
  })
  await opened.frame({ BTCUSDT: '60000.00' })
  const client = await connectTo(own.superUrl)
  onTestFinished(() => client.end())
  return { own, opened, client }
}

const COPY = (number: number) =>
  `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time)
   select id - ${number}, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time
   from trades where id = $1`

test('an order whose commit comes late is bound by a later frame, and so is one of an older node', async () => {
  const { own, opened, client } = await ownMarket()
  const user = await opened.trader()
  const trade = await opened.submit(user)
  await client.query('begin')
  // Without a salt: the database makes one.
  await client.query(COPY(1), [idOf(trade)])
  await opened.frame()
  await opened.submit(user)
  await opened.pass(5_000)
  const { rows: before } = await sql<{ frame: bigint }>`select frame from frame_orders`.execute(own.db)
  expect(before).toHaveLength(2)
  await client.query('commit')
  await opened.frame()
  const { rows } = await sql<BoundRow>`select * from frame_orders order by frame desc limit 1`.execute(own.db)
  expect(rows[0]!.trade_ids).toEqual([String(BigInt(idOf(trade)) - 1n)])
  expect((await verifyOrders(own.db, opened.prices.instruments)).broken).toBeUndefined()
})

test('many waiting orders are bound by several frames, each once', async () => {
  const { own, opened, client } = await ownMarket()
  const trade = await opened.submit(await opened.trader())
  for (let batch = 0; batch < 30; batch++)
    await client.query(
      `${COPY(0).replace('select id - 0', 'select id - n').replace('from trades', 'from generate_series($2::int, $3::int) n, trades')}`,
      [idOf(trade), 1 + batch * 200, (batch + 1) * 200],
    )
  for (let frames = 0; frames < 6; frames++) await opened.frame()
  const { rows } = await sql<{ orders: number; ids: number; most: number }>`
    select sum(cardinality(trade_ids))::int as orders, count(distinct id)::int as ids, max(cardinality(trade_ids)) as most
    from (select frame, trade_ids from frame_orders) f, lateral (select min(x) as id from unnest(trade_ids) x) m`.execute(
    own.db,
  )
  expect(rows[0]!.orders).toBe(6_001)
  expect(rows[0]!.most).toBeLessThanOrEqual(2_200)
  const { rows: left } = await sql`select from unbound_orders`.execute(own.db)
  expect(left).toHaveLength(0)
  expect((await verifyOrders(own.db, opened.prices.instruments)).broken).toBeUndefined()
  expect((await verifyTape(own.db)).broken).toBeUndefined()
})

test('orders that the database rejects do not stop the prices', async () => {
  const { own, opened, client } = await ownMarket()
  await opened.submit(await opened.trader())
  await opened.trading.orders!.look()
  expect(opened.trading.orders!.next()!.tradeIds).toHaveLength(1)
  // Another engine has bound them in the meantime, as far as this one's database is concerned.
  await client.query("set session_replication_role = 'replica'")
  await client.query('create table kept as select * from unbound_orders')
  await client.query('delete from unbound_orders')
  await expect(opened.frame({ BTCUSDT: '60001.00' })).rejects.toThrow('do not await it')
  const { n } = opened.prices.tape.head()
  await client.query('insert into unbound_orders select * from kept')
  // The engine leads again once the database has noticed that its connection is gone.
  const next = async () => {
    await opened.frame({ BTCUSDT: '60002.00' })
    return opened.prices.tape.head().n
  }
  await expect.poll(next, { interval: 20 }).toBeGreaterThanOrEqual(n + 2)
  const { rows } = await sql`select from frame_orders`.execute(own.db)
  expect(rows).toHaveLength(0)
})

test('the application binds an order once, and neither adds nor removes waiting ones', async () => {
  await market.submit(await market.trader())
  await market.frame()
  const again = sql`
    insert into frame_orders select frame + 1000, t, trade_ids, leaves, root from frame_orders order by frame desc limit 1`
  await expect(again.execute(database.db)).rejects.toThrow('do not await it')
  for (const change of [
    sql`delete from unbound_orders`,
    sql`insert into unbound_orders values (1, '{1}')`,
    sql`delete from frame_orders`,
    sql`update frame_orders set t = t + 1`,
  ])
    await expect(change.execute(database.db)).rejects.toThrow('permission denied')
})

test('verify finds whatever is changed about orders afterwards', async () => {
  const { own, opened, client } = await ownMarket()
  const user = await opened.trader()
  const [one, two] = [await opened.submit(user), await opened.submit(user)]
  await opened.frame({ BTCUSDT: '60001.00' })
  const three = await opened.submit(user)
  const { instruments } = opened.prices
  expect([await opened.broken(), (await verifyOrders(own.db, instruments)).broken]).toEqual([[], undefined])
  await client.query("set session_replication_role = 'replica'")
  const planted = async (change: string, restore: string) => {
    await client.query(change)
    const found = [
      ...(await opened.broken()).map((says) => says.slice(0, 3)),
      (await verifyOrders(own.db, instruments)).broken,
      (await verifyTape(own.db)).broken,
    ].filter(Boolean)
    await client.query(restore)
    return found.join('; ')
  }
  await client.query(
    'create table kept as select * from frame_orders; create table waiting as select * from unbound_orders',
  )
  const back =
    'truncate frame_orders, unbound_orders; insert into frame_orders select * from kept; insert into unbound_orders select * from waiting'
  expect(
    await planted(
      `update trades set stake = stake + 1 where id = ${idOf(one)}`,
      `update trades set stake = stake - 1 where id = ${idOf(one)}`,
    ),
  ).toContain(`trade ${one.trade_id} is no longer what it binds`)
  expect(
    await planted(
      `update trades set side = 'Sell' where id = ${idOf(two)}`,
      `update trades set side = 'Buy' where id = ${idOf(two)}`,
    ),
  ).toContain(`trade ${two.trade_id} is no longer what it binds`)
  expect(await planted('delete from unbound_orders', back)).toBe('T10')
  expect(await planted(`insert into unbound_orders values (${idOf(one)}, '{${idOf(one)}}')`, back)).toBe('T10')
  expect(await planted("insert into unbound_orders values (5, '{5}')", back)).toBe('T10')
  expect(await planted('delete from frame_orders', back)).toMatch(
    /^T10; frame \d+: binds other orders than the ones stored$/,
  )
  expect(await planted('update frame_orders set root = sha256(root)', back)).toMatch(
    /their root doesn't follow from them; frame \d+: binds other/,
  )
  expect(await planted('update frame_orders set t = t + 1', back)).toMatch(/have another time than the frame/)
  expect(await planted('update frame_orders set frame = frame + 1000', back)).toContain('binds other orders')
  expect(
    await planted(`insert into frame_orders select frame + 1000, t, trade_ids, leaves, root from frame_orders`, back),
  ).toMatch(/^T10; .*no such frame binds them$/)
  expect([await opened.broken(), (await verifyOrders(own.db, instruments)).broken]).toEqual([[], undefined])
  expect(three.order_hash).toBeDefined()
})
