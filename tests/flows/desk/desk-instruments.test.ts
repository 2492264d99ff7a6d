import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { DeskFeeds } from '#contract/desk/markets/feeds.ts'
import type { DeskInstrumentChange } from '#contract/desk/markets/instrument-changes.ts'
import type { DeskInstrument, DeskInstrumentPreview } from '#contract/desk/markets/instruments.ts'
import type { PriceComposition } from '#contract/prices/price-composition.ts'
import type { Instrument } from '#contract/prices/prices.ts'
import { closingsSince } from '#server/desk/index.ts'
import { deskChecks } from '#server/invariants/checks/desk.ts'
import { sql } from '#server/platform/database/db.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import { ORDER } from '#tests/support/servers/app.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { openMarket } from '#tests/support/trades/market.ts'

const { app, risk, admin, auditor, auditOf, asSuper, stop } = await startDesk()
afterAll(stop)

const TERMS = {
  trading_type: 'Cryptocurrency',
  scale: 6,
  min_sources: 2,
  largest_spread_bps: 500,
  largest_deviation_bps: 100,
  reason: 'Traders asked for it.',
}
const proposeAdding = (base: string, quote: string, who = admin[0]!) =>
  who.ask('POST', '/instruments', { body: { base, quote, ...TERMS } })
const proposeClosing = (symbol: string, who = admin[0]!) =>
  who.ask('POST', '/instruments/close', { body: { symbol, closed_reason: 'Its market moved.', reason: 'Notice.' } })
const proposeReopening = (symbol: string, who = admin[0]!) =>
  who.ask('POST', '/instruments/reopen', { body: { symbol, reason: 'It is back.' } })
const approve = (id: string, who: DeskOperator = admin[1]!) => who.ask('POST', `/instrument-changes/${id}/approve`)
const approved = async (proposal: ReturnType<typeof proposeAdding>) =>
  data(await approve(data<DeskInstrumentChange>(await proposal).id))

const atDesk = async (symbol: string, who = admin[0]!) =>
  data<DeskInstrument[]>(await who.ask('GET', '/instruments')).find((one) => one.symbol === symbol)
const atTrader = async (symbol: string) =>
  data<Instrument[]>(await app.send('GET', `/api/prices/instruments?symbols=${symbol}`))[0]

/** Waits until traders see the instrument with this status, and returns it. */
async function seenAs(symbol: string, status: Instrument['status']): Promise<Instrument> {
  for (let waitedMs = 0; waitedMs < 15_000; waitedMs += 100) {
    const seen = await atTrader(symbol)
    if (seen?.status === status) return seen
    await sleep(100)
  }
  throw new Error(`${symbol} was not seen as ${status}`)
}

test('two admins add an instrument, close it for new trades with a reason, and reopen it, without a restart', async () => {
  const { id, ...proposal } = data<DeskInstrumentChange>(await proposeAdding('LTC', 'ETH'))
  expect(proposal).toMatchObject({ kind: 'add', symbol: 'LTCETH', name: 'Add LTCETH', status: 'Pending', own: true })
  expect(refusal(await proposeAdding('LTC', 'ETH', admin[1]!)), 'proposed once').toEqual([409, 'wrong_state'])
  expect(refusal(await approve(id, admin[0]!))).toEqual([409, 'second_person_required'])
  for (const who of [risk[0]!, auditor]) expect(refusal(await approve(id, who))).toEqual([403, 'forbidden'])
  expect(await atDesk('LTCETH'), 'not yet').toBeUndefined()
  const replies = await twenty(() => approve(id))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  expect(await seenAs('LTCETH', 'open')).toMatchObject({ base: 'LTC', quote: 'ETH', scale: 6 })
  expect(await atDesk('LTCETH')).toMatchObject({ status: 'open', min_sources: 2, closed_reason: null, change: null })
  expect(refusal(await proposeAdding('LTC', 'ETH')), 'it exists').toEqual([409, 'wrong_state'])

  const trader = await app.trader()
  const order = { ...ORDER, symbol: 'LTCETH' }
  const open = await app.submit(trader, order)
  expect(refusal(await proposeReopening('LTCETH')), 'it is open').toEqual([409, 'wrong_state'])

  await approved(proposeClosing('LTCETH'))
  expect(await seenAs('LTCETH', 'unavailable')).toMatchObject({ reason: 'Its market moved.' })
  const refused = await app.send('POST', '/api/trading/submit', { token: trader.token, body: order })
  expect([refused.status, refused.json?.message]).toEqual([422, expect.stringContaining('Its market moved.')])
  const trades = data<{ trade_id: string; status: string }[]>(
    await app.send('GET', '/api/trading?mode=demo', { token: trader.token }),
  )
  expect(trades.find(({ trade_id }) => trade_id === open.trade_id)?.status, 'it runs on').toBe('Pending')
  expect(refusal(await proposeClosing('LTCETH')), 'it is closed').toEqual([409, 'wrong_state'])
  const closing = { symbol: 'LTCETH', reason: 'Its market moved.', from: expect.any(Date) }
  expect(await closingsSince(app.db, 0, 10), 'it is public').toEqual([{ ...closing, to: null }])

  await approved(proposeReopening('LTCETH'))
  await seenAs('LTCETH', 'open')
  expect(await closingsSince(app.db, 0, 10)).toEqual([{ ...closing, to: expect.any(Date) }])
  expect(await closingsSince(app.db, Date.now() + 60_000, 10)).toEqual([])
  await app.submit(trader, order)

  expect((await auditOf('instrument-changes', id)).map(({ action, operator, why }) => [action, operator, why])).toEqual(
    [
      ['approve', admin[1]!.email, TERMS.reason],
      ['propose', admin[0]!.email, TERMS.reason],
    ],
  )
})

test("a dry run shows an instrument's current price, or why it would have none", async () => {
  const preview = async (query: string, who = admin[0]!) =>
    data<DeskInstrumentPreview>(await who.ask('GET', `/instruments/preview?${query}`))
  const ltcBch = await preview('base=LTC&quote=BCH&scale=4')
  expect(ltcBch).toEqual({
    symbol: 'LTCBCH',
    source: 'simulation',
    exists: false,
    price: expect.stringMatching(/^0\.\d{4}$/),
    pairs: [],
  })
  expect(await preview('base=BTC&quote=USDT')).toMatchObject({ exists: true, price: expect.stringMatching(/\.\d{8}$/) })
  expect(await preview('base=LTC&quote=XYZ')).toMatchObject({ why: "The simulation doesn't know XYZ." })
  expect(await preview('base=SHIB&quote=BTC&scale=2')).toMatchObject({
    why: expect.stringContaining('rounded to zero'),
  })
  expect(await preview('base=BTC&quote=SHIB&scale=15')).toMatchObject({ why: expect.stringContaining('too long') })
  expect(refusal(await auditor.ask('GET', '/instruments/preview?base=LTC&quote=BCH'))).toEqual([403, 'forbidden'])
})

test('the list names the pending proposal, and a rejected one changes nothing', async () => {
  const { id } = data<DeskInstrumentChange>(await proposeClosing('XRPEUR'))
  expect(await atDesk('XRPEUR')).toMatchObject({
    closed_reason: null,
    change: { id, kind: 'close', proposed_by: { email: admin[0]!.email } },
  })
  data(await admin[1]!.ask('POST', `/instrument-changes/${id}/reject`, { body: { reason: 'Not yet.' } }))
  expect(await atDesk('XRPEUR')).toMatchObject({ status: 'open', closed_reason: null, change: null })
})

test('twenty instruments approved at once get different ids', async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => data<DeskInstrumentChange>(await proposeAdding(`B${n}X`, 'ETH')).id),
  )
  const replies = await Promise.all(ids.map((id) => approve(id)))
  expect(replies.map(({ status, text }) => (status === 200 ? '' : text)).filter(Boolean)).toEqual([])
})

test('an approval can be used once', async () => {
  await approved(proposeClosing('TRXGBP'))
  const again = "update instruments set closed_reason = null where symbol = 'TRXGBP'"
  await expect(app.pool.query(again)).rejects.toThrow(/two operators/)
})

const NEW_TERMS = {
  min_sources: 3,
  depth_usd: 2_500,
  largest_spread_bps: 40,
  largest_deviation_bps: 80,
  stale_after_ms: 5000,
  venues: ['binance', 'kraken', 'bitstamp'],
  demo_only: true,
}
const proposeTerms = (symbol: string, terms: object = NEW_TERMS, who = admin[0]!) =>
  who.ask('POST', '/instruments/change', { body: { symbol, ...terms, reason: 'Its book is thin.' } })
const proposeWithdrawal = (symbol: string, who = admin[0]!) =>
  who.ask('POST', '/instruments/withdraw', { body: { symbol, reason: 'Typed wrongly.' } })

test('two admins change the terms of an instrument, and the audit record has old and new terms', async () => {
  const { price: _, status: __, reason: ___, ...before } = (await atDesk('ETHUSDT'))!
  const { id, ...proposal } = data<DeskInstrumentChange>(await proposeTerms('ETHUSDT'))
  expect(proposal).toMatchObject({
    kind: 'change',
    name: 'Change terms of ETHUSDT',
    terms: NEW_TERMS,
    now: { base: 'ETH', quote: 'USDT', scale: 2, terms: { min_sources: 2, stale_after_ms: 10_000, venues: null } },
  })
  expect(refusal(await proposeClosing('ETHUSDT')), 'one change at a time').toEqual([409, 'wrong_state'])
  expect(refusal(await approve(id, admin[0]!))).toEqual([409, 'second_person_required'])
  for (const who of [risk[0]!, auditor]) expect(refusal(await approve(id, who))).toEqual([403, 'forbidden'])
  expect(await atDesk('ETHUSDT')).toMatchObject({ ...before, ...change(id) })

  const replies = await twenty(() => approve(id))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  expect(await atDesk('ETHUSDT')).toMatchObject({ ...before, ...NEW_TERMS })
  // Every node applies it immediately, not only at its next poll.
  const { symbols } = data<DeskFeeds>(await admin[0]!.ask('GET', '/feeds'))
  expect(symbols.find(({ symbol }) => symbol === 'ETHUSDT')).toMatchObject({ stale_after_ms: 5000 })
  expect(refusal(await proposeTerms('ETHUSDT')), 'they are the same').toEqual([409, 'wrong_state'])
  const [approval] = await auditOf('instrument-changes', id)
  expect([approval!.action, approval!.before, approval!.after]).toEqual([
    'approve',
    expect.objectContaining({
      min_sources: 2,
      largest_spread_bps: 20,
      depth_usd: 5_000,
      demo_only: false,
      venues: null,
    }),
    expect.objectContaining({ status: 'Approved', symbol: 'ETHUSDT', ...NEW_TERMS }),
  ])
  await approved(proposeTerms('ETHUSDT', { ...NEW_TERMS, venues: undefined }))
  expect(await atDesk('ETHUSDT')).toMatchObject({ venues: null, min_sources: 3 })
})

const change = (id: string) => ({
  change: { id, kind: 'change', proposed_by: { operator_id: admin[0]!.id, email: admin[0]!.email } },
})

test('new terms of a price that open real trades use count once those that end soon have ended', async () => {
  const trader = await app.trader()
  await app.fund(trader, 100)
  const trade = await app.submit(trader, { symbol: 'LTCUSDT', mode: 'real', amount: 10, duration: 60 })
  const made = async () =>
    data<PriceComposition>(await app.send('GET', '/api/prices/composition?symbol=LTCUSDT')).terms.min_sources
  expect(await made()).toBe(2)
  const first = data<DeskInstrumentChange>(await proposeTerms('LTCUSDT', { ...NEW_TERMS, min_sources: 3 }))
  expect(first.counts_from).toBeUndefined()
  const { counts_from } = data<DeskInstrumentChange>(await approve(first.id))
  expect(Date.parse(counts_from!)).toBe(Date.parse(trade.end_time) + 3_001)
  const second = data<DeskInstrumentChange>(await proposeTerms('LTCUSDT', { ...NEW_TERMS, venues: undefined }))
  expect(data<DeskInstrumentChange>(await approve(second.id)).counts_from, 'in their order').toBe(counts_from)
  await sleep(1_000)
  expect(await made()).toBe(2)
  const { json } = await app.send('GET', '/api/prices/switches?symbol=LTCUSDT')
  expect(json!.terms_changed).toEqual([counts_from, counts_from])
  await expect(sql`insert into terms_changes values (1, 'LTCUSDT', '{}', 1)`.execute(app.db)).rejects.toThrow(
    /not approved by two/,
  )
})

test('two admins withdraw an instrument added by mistake, and it can be added again as a new one', async () => {
  await approved(proposeAdding('CTB', 'USDT'))
  const added = await seenAs('CTBUSDT', 'unavailable')
  expect(added).toMatchObject({ scale: 6 })
  expect(await atDesk('CTBUSDT')).toMatchObject({ has_had_price: false })
  const { id } = data<DeskInstrumentChange>(await proposeWithdrawal('CTBUSDT'))
  expect(refusal(await approve(id, admin[0]!))).toEqual([409, 'second_person_required'])
  data(await approve(id))
  expect(await atDesk('CTBUSDT')).toBeUndefined()
  await expect.poll(() => atTrader('CTBUSDT')).toBeUndefined()
  const trader = await app.trader()
  const order = { ...ORDER, symbol: 'CTBUSDT' }
  expect((await app.send('POST', '/api/trading/submit', { token: trader.token, body: order })).status).toBe(422)
  expect(refusal(await proposeWithdrawal('CTBUSDT')), 'it is gone').toEqual([404, 'not_found'])

  const idOf = async () => (await app.pool.query("select id from instruments where symbol = 'CTBUSDT'")).rows[0].id
  data(
    await approve(
      data<DeskInstrumentChange>(
        await admin[0]!.ask('POST', '/instruments', { body: { base: 'CTB', quote: 'USDT', ...TERMS, scale: 3 } }),
      ).id,
    ),
  )
  expect(await seenAs('CTBUSDT', 'unavailable')).toMatchObject({ scale: 3 })
  const { rows } = await app.pool.query('select max(id) as id from instruments')
  expect(await idOf(), 'an id is never used again').toBe(rows[0].id)
  expect(await app.broken()).toEqual([])
})

test('an instrument that has had a price, followers or a limit can be closed but not withdrawn', async () => {
  expect(refusal(await proposeWithdrawal('BTCUSDT'))).toEqual([409, 'wrong_state'])
  expect(await atDesk('BTCUSDT')).toMatchObject({ has_had_price: true })
  // A row came to refer to it while the proposal was pending.
  const refers: [string, (id: number) => Promise<unknown>][] = [
    ['AAC', (id) => app.pool.query('insert into symbol_open (symbol_id, thin_max) values ($1, 100)', [id])],
    ['AAD', (id) => asSuper("set session_replication_role = 'replica'", `insert into tape_kinds values (${id}, 1, 2)`)],
  ]
  for (const [base, refer] of refers) {
    await approved(proposeAdding(base, 'USDT'))
    const { id } = data<DeskInstrumentChange>(await proposeWithdrawal(`${base}USDT`))
    await refer((await app.pool.query('select id from instruments where symbol = $1', [`${base}USDT`])).rows[0].id)
    expect(refusal(await approve(id))).toEqual([409, 'wrong_state'])
    expect(await atDesk(`${base}USDT`)).toMatchObject({ change: { id } })
    data(await admin[1]!.ask('POST', `/instrument-changes/${id}/reject`, { body: { reason: 'It is in use.' } }))
  }
  await asSuper("set session_replication_role = 'replica'", 'delete from tape_kinds where source_ms = 1')
})

test('an approved proposal allows no other change in the database', async () => {
  const inApproval = async (kind: string, set: object, statement: string) => {
    const client = await app.pool.connect()
    try {
      await client.query('begin')
      await client.query(
        `insert into proposals (kind, subject, payload, reason, proposed_by)
         values ('instrument-changes', 'XRPUSDT', $1, 'r', ${admin[0]!.id})`,
        [{ kind, set }],
      )
      await client.query(
        `update proposals set status = 'Approved', decided_by = ${admin[1]!.id} where subject = 'XRPUSDT' and status = 'Pending'`,
      )
      await client.query(statement)
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  const terms = {
    min_sources: 3,
    largest_spread_bps: 40,
    largest_deviation_bps: 40,
    stale_after_ms: 10_000,
    venues: null,
  }
  const set = "update instruments set min_sources = 3, largest_spread_bps = 40 where symbol = 'XRPUSDT'"
  const refused = (kind: string, change: object, statement: string) =>
    expect(inApproval(kind, change, statement), statement).rejects.toThrow(/two operators/)
  await inApproval('change', terms, set)
  await refused('change', { ...terms, largest_spread_bps: 41 }, set)
  await refused('change', { min_sources: 3 }, set)
  const deeper = set.replace(' where', ', depth_usd = 9000, demo_only = true where')
  await refused('change', terms, deeper)
  await inApproval('change', { ...terms, depth_usd: 9000, demo_only: true }, deeper)
  await refused('withdraw', {}, set)
  const closed = "update instruments set closed_reason = 'Its market moved.' where symbol = 'XRPUSDT'"
  await inApproval('close', { closed_reason: 'Its market moved.' }, closed)
  await refused('close', { closed_reason: 'Another.' }, closed)
  await refused('reopen', { closed_reason: 'Its market moved.' }, closed)
  await refused('change', { closed_reason: 'Its market moved.' }, closed)
  const gone = "delete from instruments where symbol = 'XRPUSDT'"
  await refused('change', terms, gone)
  await expect(inApproval('withdraw', {}, gone), 'it has had a price').rejects.toThrow(/foreign key|in use/)
})

test('verify finds an instrument changed without approval, and one person on both sides of an approval', async () => {
  const planted = async (entry: string, undo: string) => {
    await asSuper("set session_replication_role = 'replica'", entry)
    const broken = await app.broken()
    await asSuper("set session_replication_role = 'replica'", undo)
    return new Set(broken)
  }
  const close = (reason: string) => `update instruments set closed_reason = ${reason} where symbol = 'XLMUSD'`
  expect(await planted(close("'Because.'"), close('null'))).toEqual(new Set(['H2']))
  const scale = (places: number) => `update instruments set scale = ${places} where symbol = 'LTCETH'`
  expect(await planted(scale(7), scale(6))).toEqual(new Set(['H2']))
  const stale = (ms: number) => `update instruments set stale_after_ms = ${ms} where symbol = 'ETHUSDT'`
  expect(await planted(stale(9000), stale(5000))).toEqual(new Set(['H2']))
  const demoOnly = (is: boolean) => `update instruments set demo_only = ${is} where symbol = 'ETHUSDT'`
  expect(await planted(demoOnly(false), demoOnly(true))).toEqual(new Set(['H2']))
  const second = (email: string, ended: string) =>
    `update operators set email = '${email}', ended_at = ${ended} where id = ${admin[1]!.id}`
  const [aside, back] = [
    'create table public.aside as select * from terms_changes order by id desc limit 1; delete from terms_changes where id in (select id from aside)',
    'insert into terms_changes select * from aside; drop table aside',
  ] as const
  expect(await planted(aside, back)).toEqual(new Set(['H2']))
  const same = second(admin[0]!.email.toUpperCase(), 'now()')
  expect(await planted(same, second(admin[1]!.email, 'null'))).toEqual(new Set(['H2']))
  expect(await app.broken()).toEqual([])
})

test('verify finds a change of terms that did not wait for an open trade', async () => {
  const check = deskChecks.find(({ says }) => says.startsWith('an approved change of terms waited'))!
  const found = async () => (await app.pool.query(check.sql)).rows.length
  const { rows } = await app.pool.query(
    `select i.id, floor(extract(epoch from p.decided_at) * 1000)::bigint as at, c.effective_from as "from", c.id as change
     from terms_changes c join proposals p on p.id = c.id join instruments i on i.symbol = c.symbol order by c.id desc limit 1`,
  )
  const [{ id, at, from, change }] = rows as [{ id: number; at: bigint; from: bigint; change: bigint }]
  const replica = "set session_replication_role = 'replica'"
  const end = BigInt(at) + 60_000n
  await asSuper(
    replica,
    `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time)
     values (1, 2, 'real', ${id}, 2, 10000, 'Buy', '75/3', 75, 100, 120, ${end - 120_000n}, ${end})`,
  )
  const counts = (ms: bigint) =>
    asSuper(replica, `update terms_changes set effective_from = ${ms} where id = ${change}`)
  await counts(end + 3_001n)
  expect(await found()).toBe(0)
  await counts(end - 1n)
  expect(await found()).toBe(1)
  // Sold before the decision: nothing to wait for.
  const settle = (seconds: number) =>
    asSuper(
      replica,
      `update trades set settled_at = to_timestamp(${Number(at) / 1000 + seconds}), status = 'Void', payout = stake, outcome_reason = 't' where id = 1`,
    )
  await settle(-10)
  expect(await found()).toBe(0)
  await settle(60)
  expect(await found()).toBe(1)
  await counts(BigInt(from))
  await asSuper(replica, 'delete from trades where id = 1')
  // Settlement may have counted this trade among the open stakes; it counts again within a second.
  await expect.poll(() => app.broken()).toEqual([])
})

test('the database does not change an instrument for one person, even with a second account', async () => {
  const { id } = data<DeskInstrumentChange>(await proposeClosing('ZECUSD'))
  const change = "update instruments set closed_reason = 'Its market moved.' where symbol = 'ZECUSD'"
  await expect(app.pool.query(change)).rejects.toThrow(/two operators/)
  await expect(
    app.pool.query(
      "insert into instruments (id, symbol, base, quote, trading_type, scale) values (999, 'AAABBB', 'AAA', 'BBB', 'Cryptocurrency', 2)",
    ),
  ).rejects.toThrow(/two operators/)
  await expect(app.pool.query("update instruments set scale = 3 where symbol = 'ZECUSD'")).rejects.toThrow(/denied/)
  await expect(app.pool.query("update instruments set stale_after_ms = 9000 where symbol = 'ZECUSD'")).rejects.toThrow(
    /two operators/,
  )
  await expect(app.pool.query("delete from instruments where symbol = 'ZECUSD'")).rejects.toThrow(/two operators/)
  const decided = (by: string) =>
    app.pool.query(
      `update proposals set status = 'Approved', decided_by = $1 where kind = 'instrument-changes' and id = $2`,
      [by, id],
    )
  await expect(decided(admin[0]!.id)).rejects.toThrow(/own proposal/)
  await admin[1]!.ask('POST', `/operators/${admin[0]!.id}/end`, { body: { reason: 'left' } })
  const third = await operator(app, ['admin'])
  const [end] = data<{ id: string }[]>(await third.ask('GET', '/operator-changes?status=Pending'))
  data(await third.ask('POST', `/operator-changes/${end!.id}/approve`))
  const returned = await operator(app, ['admin'], admin[0]!.email.toUpperCase())
  await expect(decided(returned.id)).rejects.toThrow(/own proposal/)
  expect(refusal(await approve(id, returned))).toEqual([409, 'second_person_required'])
  expect(await atDesk('ZECUSD', returned)).toMatchObject({ closed_reason: null })
})

test('an open trade settles on the prices of an instrument that was closed in the meantime', async () => {
  const database = await testDatabase()
  const market = await openMarket(database)
  onTestFinished(() => market.close())
  const owner = await connectTo(database.ownerUrl)
  onTestFinished(() => owner.end())
  await market.frame({ BTCUSDT: '60000.00' })
  const trader = await market.trader()
  const { trade_id } = await market.submit(trader)
  await market.frame({ BTCUSDT: '60001.00' })
  await owner.query("update instruments set closed_reason = 'Its market moved.' where symbol = 'BTCUSDT'")
  await market.prices.runHousekeeping()
  await expect(market.submit(trader)).rejects.toThrow('Its market moved.')
  await market.frame({ BTCUSDT: '60005.00' })
  await market.pass(70_000)
  await market.settled()
  expect(await market.trade(trade_id)).toMatchObject({ status: 'Won', exit_price: 6_000_500n })
})
