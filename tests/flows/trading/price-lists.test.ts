import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StrikeRate } from '#contract/terms.ts'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import { HOUR_MS } from '#kernel/time.ts'
import { sql } from '#server/platform/database/db.ts'
import { openTestWaiting } from '#tests/support/people/waiting.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { priceListOperators } from '#tests/support/trades/price-lists.ts'

const { database, market } = await marketOfFile()
const operators = await priceListOperators(database)
const waiting = openTestWaiting(database, market)
let trader: bigint
beforeAll(async () => {
  trader = await market.trader(100_000n)
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '3000.00' })
})
afterAll(async () => expect(await market.broken()).toEqual([]))

const only = (...pairs: StrikeRate[]): PriceListDocument => ({ lists: [{ name: 'Standard', pairs }], rules: [] })
const REFUSED = { code: 'odds_unavailable' }
/** Lets a new version apply: it does so five seconds after its approval. */
const begins = async () => market.pass(5_500)
const known = async (version: number) => {
  market.priceLists.look()
  await expect.poll(() => market.priceLists.newest()).toBe(version)
}

test('a new version applies five seconds after its approval, and open trades keep their terms', async () => {
  const before = await market.submit(trader)
  expect(before).toMatchObject({ strike_rate: '75/3', percent: 75, price_list: 1 })
  const { version, fromMs } = await operators.change(only('80/5', '75/3'))
  await known(version)
  await expect(market.submit(trader, { strike_rate: '80/5' }), 'not yet').rejects.toMatchObject(REFUSED)
  await begins()
  expect(market.clock.now()).toBeGreaterThan(fromMs)
  expect(await market.submit(trader, { strike_rate: '80/5' })).toMatchObject({ percent: 80, price_list: version })
  expect(await market.submit(trader, { strike_rate: '80/5', trade_mode: 'Sell' })).toMatchObject({ percent: 5 })
  await expect(market.submit(trader, { strike_rate: '1/61' })).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringContaining('Choose others: 80/5, 75/3'),
    errors: [{ field: 'strike_rate', message: 'must be one of 80/5, 75/3' }],
  })
  await market.pass(70_000)
  await market.settled()
  expect(await market.trade(before.trade_id)).toMatchObject({ strike_rate: '75/3', percent: 75, price_list: 1 })
})

test('the accepting statement takes no order by a version that has been replaced, which its node has not heard of', async () => {
  const stop = hideNews()
  const { version } = await operators.change(only('81/5', '75/3'))
  await begins()
  expect(market.priceLists.newest()).toBe(version - 1)
  // Both are tried until the node has heard of the version: one is still offered, one isn't.
  const answers = [market.submit(trader, { strike_rate: '75/3' }), market.submit(trader, { strike_rate: '80/5' })]
  const settled = Promise.allSettled(answers)
  stop()
  const [kept, gone] = await settled
  expect(kept).toMatchObject({ status: 'fulfilled', value: { price_list: version, percent: 75 } })
  expect(gone).toMatchObject({ status: 'rejected', reason: REFUSED })
})

/** Lets the node know no newer version until it is called. */
function hideNews(): () => void {
  const { offer, newest, look } = market.priceLists
  const versions = [...market.priceLists.versions()]
  const last = versions.at(-1)!
  market.priceLists.newest = () => last.version
  market.priceLists.look = () => undefined
  market.priceLists.offer = () => ({
    version: last.version,
    fromMs: last.fromMs,
    untilMs: Number.MAX_SAFE_INTEGER,
    pairs: last.document.lists[0]!.pairs,
  })
  return () => Object.assign(market.priceLists, { offer, newest, look })
}

test('hours decide by the time of the trade: an order that is accepted in the next hour is judged by it', async () => {
  const hour = Math.floor((market.clock.now() + 2 * HOUR_MS) / HOUR_MS) % 24
  const { version } = await operators.change({
    lists: [
      { name: 'Standard', pairs: ['75/3'] },
      { name: 'Later', pairs: ['50/50', '75/3'] },
    ],
    rules: [
      {
        symbols: ['BTCUSDT'],
        group: null,
        durations: [60],
        days: [...EVERY_DAY],
        from_hour: hour,
        to_hour: (hour + 1) % 24 || 24,
        list: 2,
      },
    ],
  })
  await known(version)
  await begins()
  await expect(market.submit(trader, { strike_rate: '50/50' })).rejects.toMatchObject(REFUSED)
  const begin = (Math.floor(market.clock.now() / HOUR_MS) + 1) * HOUR_MS
  const beginOfRule = begin + ((hour - (Math.floor(begin / HOUR_MS) % 24) + 24) % 24) * HOUR_MS
  while (market.clock.now() < beginOfRule)
    await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '3000.00' }, { afterMs: 300_000 })
  expect(await market.submit(trader, { strike_rate: '50/50' })).toMatchObject({ percent: 50, price_list: version })
  for (const other of [{ symbol: 'ETHUSDT' }, { duration: 180 }])
    await expect(market.submit(trader, { strike_rate: '50/50', ...other })).rejects.toMatchObject(REFUSED)
  // The node judged these in this hour, and the statement reads its clock in the next.
  const endOfRule = beginOfRule + HOUR_MS
  while (market.clock.now() < endOfRule - 600_000) await market.frame({ BTCUSDT: '60000.00' }, { afterMs: 300_000 })
  await market.frame({ BTCUSDT: '60000.00' }, { afterMs: endOfRule + 500 - market.clock.now() })
  const now = market.clock.now
  const late = endOfRule - 1
  market.clock.now = () => late
  const answers = await Promise.allSettled([
    market.submit(trader, { strike_rate: '50/50' }),
    market.submit(trader, { strike_rate: '75/3' }),
  ])
  market.clock.now = now
  expect(answers[0]).toMatchObject({ status: 'rejected', reason: REFUSED })
  expect(answers[1]).toMatchObject({ status: 'fulfilled', value: { percent: 75 } })
})

test('a waiting order whose pair is gone when it triggers says so and places nothing', async () => {
  const engine = waiting.engine()
  await engine.trigger()
  const { id } = await waiting.place(trader, { level: '60100' })
  await expect(waiting.place(trader, { level: '60200', strike_rate: '99/99' })).rejects.toMatchObject(REFUSED)
  const { version } = await operators.change(only('1/61'))
  await known(version)
  await engine.trigger()
  await begins()
  await market.frame({ BTCUSDT: '60150.00' })
  await engine.trigger()
  await engine.place()
  const { rows } = await sql<{ status: string; reason: string }>`
    select status::text, reason from waiting_orders where id = ${id}`.execute(database.db)
  expect(rows).toEqual([{ status: 'Refused', reason: expect.stringContaining("(75/3) aren't offered") }])
})

test('the database takes a version only from two operators, as they approved it, and with a word about an edge', async () => {
  const newest = () => market.priceLists.newest()
  const version = newest()
  const lists = only('60/60')
  await expect(operators.change(lists, { approve: false })).rejects.toThrow(/not approved by two operators/)
  await expect(operators.change(lists, { proposed: only('60/61') })).rejects.toThrow(/not approved by two operators/)
  await expect(operators.change(lists, { edge: true })).rejects.toThrow(/price_list_versions_edge/)
  await expect(operators.change(lists, { acknowledged: 'There is none.' })).rejects.toThrow(/price_list_versions_edge/)
  await expect(operators.change({ lists: [{ name: 'x', pairs: ['0/5' as StrikeRate] }], rules: [] })).rejects.toThrow(
    /price_list_versions_document|is_price_list|strike/,
  )
  const owner = await connectTo(database.appUrl)
  for (const statement of [
    `update price_list_versions set acknowledged = 'x'`,
    'delete from price_list_versions',
    `insert into price_list_versions (document) values ('{"lists":[],"rules":[]}')`,
    `insert into price_list_versions (version, document, from_ms, made_at) values (99, '{"lists":[],"rules":[]}', 0, now())`,
    `alter type strike_rate add value '99/98'`,
  ])
    await expect(owner.query(statement), statement).rejects.toThrow()
  await owner.end()
  const edged = await operators.change(lists, { edge: true, acknowledged: 'A promotion of one day.' })
  expect(edged.version).toBe(version + 1)
  // It has no record of the desk, so `verify` sees it.
  const broken = await market.broken()
  expect(broken.filter((text) => text.startsWith('T13'))).toHaveLength(1)
  const superuser = await connectTo(database.superUrl)
  await superuser.query(`
    insert into audit (n, at, operator, action, item_kind, item_id, after, previous, hash)
    select coalesce(max(n), 0) + 1, now(), 'quinn', 'approve', 'price-lists',
      (select proposal_id::text from price_list_versions order by version desc limit 1),
      '{"acknowledged": "A promotion of one day."}', sha256(''), sha256('') from audit`)
  await superuser.end()
  await known(edged.version)
})

test('verify finds a trade whose pair was not offered, whose percent is another, or whose version did not apply', async () => {
  await begins()
  const { trade_id } = await market.submit(trader, { strike_rate: '60/60' })
  expect(await market.broken()).toEqual([])
  const { id } = await market.trade(trade_id)
  const superuser = await connectTo(database.superUrl)
  await superuser.query('set session_replication_role = replica')
  const broken = async (change: string) => {
    const { rows } = await superuser.query<{ was: string }>(
      `select ${change.split(' = ')[0]} as was from trades where id = ${id}`,
    )
    await superuser.query(`update trades set ${change} where id = ${id}`)
    const names = (await market.broken()).map((text) => text.slice(0, 3))
    await superuser.query(`update trades set ${change.split(' = ')[0]} = '${rows[0]!.was}' where id = ${id}`)
    return names
  }
  expect(await broken(`strike_rate = '75/3'`)).toContain('T13')
  expect(await broken('percent = 61')).toContain('T13')
  expect(await broken('price_list = 1')).toContain('T13')
  expect(await broken('price_list = 999')).toContain('T13')
  await superuser.end()
  expect(await market.broken()).toEqual([])
})
