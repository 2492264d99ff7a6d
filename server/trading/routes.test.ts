import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { changeSettings, clearSymbolLimits } from '#tests/support/people/settings.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { orderOf } from '#tests/support/trades/orders.ts'
import { type StoredTrade, storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { openAccounts, openRequestKeys } from '../ledger/index.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import type { FileReply, Sent } from '../platform/http/handler.ts'
import type { Instruments } from '../prices/index.ts'
import type { RealTrades } from './acceptance/limits/real-trades.ts'
import type { Opened, OpenTrade } from './acceptance/open-trade.ts'
import type { TradingObserver } from './observer.ts'
import { tradingRoutes } from './routes.ts'
import { isTradeKey, tradeOf, tradeUnderKey } from './store.ts'

let database: TestDatabase
/** Newest last: an open one, one that lost, one that won; then a real one that won, and one of another trader. */
let trades: StoredTrade[]

const listed = [instrument({ id: 1, symbol: 'BTCUSDT' }), instrument({ id: 3, symbol: 'ETHUSDT' })]
const instruments = {
  byId: (id: number) => listed.find((one) => one.id === id),
  bySymbol: (symbol: string) => listed.find((one) => one.symbol === symbol),
} as Instruments

beforeAll(async () => {
  database = await createTestDatabase()
  await inTransaction(database.db, async (tx) => {
    for (const id of [1n, 2n]) {
      await openUser(tx, id)
      await openAccounts(tx, id)
    }
  })
  trades = await storeTrades(
    database,
    { key: 'k', symbol: 3 },
    { status: 'Lost', tradeTime: TRADED_AT + 1, side: 'Sell' },
    { status: 'Won', tradeTime: TRADED_AT + 2 },
    { status: 'Won', tradeTime: TRADED_AT + 3, mode: 'real' },
    { status: 'Won', tradeTime: TRADED_AT + 4, mode: 'real', user: 2n },
  )
})
afterAll(() => database.drop())

/** The handlers, and what they did. */
function openScene(observer?: TradingObserver) {
  const scene = {
    opened: undefined as Opened | undefined,
    commands: [] as OpenTrade[],
    realTrades: {} as Record<string, RealTrades>,
    pushed: [] as bigint[],
    sent: undefined as ((sent: Sent) => void) | undefined,
  }
  const routes = tradingRoutes({
    db: database.db,
    instruments,
    async openTrade(command) {
      scene.commands.push(command)
      return scene.opened!
    },
    realTrades: ({ symbol }) => scene.realTrades[symbol] ?? { stakeMax: null },
    newId: () => 77n,
    balances: { afterCommit: (_tx, userId) => scene.pushed.push(userId) },
    keys: openRequestKeys(isTradeKey),
    tape: { status: () => ({ status: 'open' }) },
    clock: { now: Date.now },
    ordered: () => undefined,
    observer,
  })
  const call = (more: object, key?: string) =>
    ({
      who: { userId: 1n, sessionId: 0n },
      reads: database.db,
      query: {},
      request: {
        idempotencyKey: key,
        fingerprint: () => Buffer.alloc(32, 1),
        header: (name: string) => `the ${name}`,
        whenSent(callback: (sent: Sent) => void) {
          scene.sent = callback
        },
      },
      ...more,
    }) as never
  return Object.assign(scene, { routes, call })
}

const order = orderOf(1n, { id: 5n, symbolId: 1, stake: usd(1_050n) })
const body = { symbol: 'BTCUSDT', trade_mode: 'Buy', amount: usd(1_050n), mode: 'demo' }

test('an order answers with the open trade', async () => {
  const scene = openScene()
  scene.opened = { accepted: { order, tradeTime: TRADED_AT } }
  const answer = await scene.routes['POST /trading/submit'](scene.call({ body }, 'key'))
  expect(scene.commands).toEqual([{ userId: 1n, body, stake: 1_050n, key: 'key', fingerprint: Buffer.alloc(32, 1) }])
  expect(answer).toMatchObject({
    status: true,
    message: 'Trade placed',
    data: { trade_id: publicId(5n), status: 'Pending', amount: 10.5 },
  })
  // Nobody watches when the answer leaves.
  expect(scene.sent).toBeUndefined()
})

test('the observer learns when the answer to a new trade has left, with its trace', async () => {
  const answered: Parameters<NonNullable<TradingObserver['responded']>>[0][] = []
  const observer: TradingObserver = {
    accepted: () => undefined,
    rejected: () => undefined,
    settled: () => undefined,
    responded: (response) => answered.push(response),
  }
  const scene = openScene(observer)
  scene.opened = { accepted: { order, tradeTime: TRADED_AT } }
  await scene.routes['POST /trading/submit'](scene.call({ body }))
  scene.sent!({ status: 200, beganAt: 1, endedAt: 2 })
  expect(answered).toEqual([
    { id: 5n, route: 'POST /api/trading/submit', traceparent: 'the traceparent', status: 200, beganAt: 1, endedAt: 2 },
  ])
  // Not for a repeat: it was reported the first time.
  scene.sent = undefined
  scene.opened = { stored: (await tradeOf(database.db, 1n, trades[2]!.id))! }
  const repeated = await scene.routes['POST /trading/submit'](scene.call({ body }))
  expect(scene.sent).toBeUndefined()
  expect(repeated).toMatchObject({ data: { trade_id: publicId(trades[2]!.id), status: 'Pending' } })
})

test('the list of trades filters by mode, status, side and symbol, in pages', async () => {
  const { routes, call } = openScene()
  const listOf = async (query: object) => {
    const reply = (await routes['GET /trading'](call({ query: { mode: 'demo', ...query } }))) as {
      data: { trade_id: string }[]
      next_cursor?: string
    }
    return [...reply.data.map(({ trade_id }) => trade_id), ...(reply.next_cursor ? [`after ${reply.next_cursor}`] : [])]
  }
  const [open, lost, won, real] = trades.map(({ id }) => publicId(id))
  expect(await listOf({})).toEqual([won, lost, open])
  expect(await listOf({ mode: 'real' })).toEqual([real])
  expect(await listOf({ status: 'Lost' })).toEqual([lost])
  expect(await listOf({ trade_mode: 'Buy' })).toEqual([won, open])
  expect(await listOf({ symbol: 'ETHUSDT' })).toEqual([open])
  expect(await listOf({ symbol: 'NOPE' })).toEqual([])
  expect(await listOf({ limit: '2' })).toEqual([won, lost, `after ${lost}`])
  expect(await listOf({ limit: '2', cursor: lost })).toEqual([open])
})

test('the list of trades is limited to a time', async () => {
  const { routes, call } = openScene()
  const idsOf = async (query: object) =>
    (
      (await routes['GET /trading'](call({ query: { mode: 'demo', ...query } }))) as { data: { trade_id: string }[] }
    ).data.map(({ trade_id }) => trade_id)
  const [open, lost, won] = trades.map(({ id }) => publicId(id))
  expect(await idsOf({ from: String(TRADED_AT + 1) })).toEqual([won, lost])
  expect(await idsOf({ until: String(TRADED_AT + 1) })).toEqual([open])
  expect(await idsOf({ from: String(TRADED_AT + 1), until: String(TRADED_AT + 2) })).toEqual([lost])
})

test('the results of trades add up to the cent, over time', async () => {
  const scene = openScene()
  const resultsOf = async (query: object) =>
    (
      (await scene.routes['GET /trading/results'](scene.call({ query: { mode: 'demo', ...query } }))) as {
        data: object
      }
    ).data
  const none = { open: 0, won: 0, lost: 0, draw: 0, void: 0, sold: 0, staked: 0, paid: 0, net: 0, curve: [] }
  const lostAt = TRADED_AT + 60_001
  expect(await resultsOf({})).toEqual({
    ...none,
    open: 1,
    won: 1,
    lost: 1,
    staked: 20,
    paid: 17.5,
    net: -2.5,
    break_even: 57.1,
    curve: [
      [lostAt, -10],
      [lostAt + 1, -2.5],
    ],
  })
  expect(await resultsOf({ status: 'Pending' })).toEqual({ ...none, open: 1 })
  expect(await resultsOf({ mode: 'real', symbol: 'NOPE' })).toEqual(none)
  expect(await resultsOf({ trade_mode: 'Sell' })).toMatchObject({ lost: 1, won: 0, net: -10 })
  // One that was placed before, and ended since.
  expect(await resultsOf({ ended_from: String(lostAt + 1) })).toMatchObject({ won: 1, lost: 0, net: 7.5 })
  expect(await resultsOf({ from: String(TRADED_AT + 2) })).toMatchObject({ won: 1, lost: 0, open: 0 })
})

test('the file of trades has a line for each', async () => {
  const scene = openScene()
  const reply = (await scene.routes['GET /trading/file'](scene.call({ query: { mode: 'demo' } }))) as FileReply
  const [head, ...lines] = (await text(reply.content as Readable)).trimEnd().split('\r\n')
  expect(head).toMatch(/^\uFEFFplaced \(UTC\),trade,/)
  expect(lines).toHaveLength(3)
  const placed = '2026-09-21 12:00:00'
  expect(lines[0]).toMatch(
    new RegExp(
      `^${placed}\\.002,\\w{13},demo,BTCUSDT,Buy,75:3,75,60,10\\.00,${placed}\\.003,[\\d.]+,2026-09-21 12:01:00\\.002,[\\d.]+,2026-09-21 12:01:00\\.002,Won,,,17\\.50,,7\\.50$`,
    ),
  )
  expect(lines[2]).toMatch(/,ETHUSDT,Buy,75:3,75,60,10\.00,,,,,[^,]+,Pending,,,,,$/)
})

test('the file for tax tools has the gains and losses in the columns of Koinly', async () => {
  const scene = openScene()
  const lost = trades[1]!
  await inTransaction(database.db, (tx) =>
    sql`insert into trade_notes (account_id, trade_id, note, tags) values (3, ${lost.id}, '=1+1, "late"', '{news,a b}')`.execute(
      tx,
    ),
  )
  const fileOf = async (query: object) => {
    const call = scene.call({ query: { mode: 'demo', ...query } })
    return text(((await scene.routes['GET /trading/file'](call)) as FileReply).content as Readable)
  }
  expect(await fileOf({ form: 'tax' })).toBe(
    [
      'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash',
      `2026-09-21 12:01:00 UTC,,,7.50,USD,,,,,realized gain,"Buy BTCUSDT 60 s, demo",${publicId(trades[2]!.id)}`,
      `2026-09-21 12:01:00 UTC,10.00,USD,,,,,,,realized gain,"${lost.side} BTCUSDT 60 s, demo",${publicId(lost.id)}`,
      '',
    ].join('\r\n'),
  )
  // A note can't run as a formula.
  expect(await fileOf({ status: 'Lost' })).toContain(`,Lost,"news; a b","'=1+1, ""late""",0.00,,-10.00`)
})

test('the limits of the next stake are dollars', async () => {
  const scene = openScene()
  const { routes, call } = scene
  const limitsOf = async (mode: string, symbol: string) =>
    ((await routes['GET /trading/limits'](call({ query: { mode, symbol } }))) as { data: object }).data
  const limits = { stake_max: 10_000, open_stake_max: 50_000, open_stake: 0, symbol_room: null }
  expect(await limitsOf('demo', 'BTCUSDT')).toEqual(limits)
  await clearSymbolLimits(database.db)
  // The database's instrument of this number.
  await changeSettings(database.db, { symbol_limits: [{ symbol: 'BCHBTC', open_max: 12.34 }] }, (tx) =>
    sql`insert into symbol_open (symbol_id, open_max, open) values (1, 1234, 34)`.execute(tx),
  )
  expect(await limitsOf('real', 'BTCUSDT')).toEqual({ ...limits, symbol_room: 12 })
  expect(await limitsOf('real', 'ETHUSDT')).toEqual(limits)
  expect(await limitsOf('real', 'NOPE')).toEqual(limits)
  scene.realTrades = { ETHUSDT: { stakeMax: usd(1_250n) }, BTCUSDT: { refused: 'Demo only.' } }
  expect(await limitsOf('real', 'ETHUSDT')).toEqual({ ...limits, stake_max: 12.5, thin_market: true })
  expect(await limitsOf('real', 'BTCUSDT')).toEqual({ ...limits, symbol_room: 12, refused: 'Demo only.' })
  for (const symbol of ['ETHUSDT', 'BTCUSDT']) expect(await limitsOf('demo', symbol)).toEqual(limits)
})

test("one trade in either mode; another trader's is not found", async () => {
  const { routes, call } = openScene()
  const one = (trade: StoredTrade) => routes['GET /trading/:trade_id'](call({ params: { trade_id: trade.id } }))
  expect(await one(trades[0]!)).toMatchObject({ status: true, data: { trade_id: publicId(trades[0]!.id) } })
  expect(await one(trades[3]!)).toMatchObject({ status: true, data: { mode: 'real' } })
  await expect(one(trades[4]!)).rejects.toMatchObject({ code: 'not_found', message: 'Trade not found.' })
})

test('earnings are the real trades that won', async () => {
  const { routes, call } = openScene()
  expect(await routes['GET /profit'](call({}))).toEqual({
    status: true,
    data: [expect.objectContaining({ profit_id: `P${publicId(trades[3]!.id)}`, profit: 7.5 })],
  })
})

test('a reset of the demo balance is answered once for each key, and pushed after it', async () => {
  const scene = openScene()
  const reset = (key?: string) => scene.routes['POST /trading/demo/reset'](scene.call({}, key))
  const answer = {
    status: true,
    message: expect.stringContaining('10,000'),
    data: { balance: 0, demo_balance: 10_000 },
  }
  expect(await reset('r')).toEqual(answer)
  expect(await reset('r')).toEqual(answer)
  expect(scene.pushed).toEqual([1n, 1n])
})

test('a key belongs to the trade of its trader', async () => {
  expect((await tradeUnderKey(database.db, 1n, 'k'))?.id).toBe(trades[0]!.id)
  expect(await tradeUnderKey(database.db, 2n, 'k')).toBeUndefined()
  expect(await tradeUnderKey(database.db, 1n, 'other')).toBeUndefined()
  expect([await isTradeKey(database.db, 1n, 'k'), await isTradeKey(database.db, 2n, 'k')]).toEqual([true, false])
  expect(await isTradeKey(database.db, 1n, 'other')).toBe(false)
})

test('the last page says before which day trades are archived', async () => {
  const owner = await connectTo(database.superUrl)
  await owner.query('set session_replication_role = replica')
  await owner.query(
    `insert into archived_sums (account_id, trades, transfers, result, last_seq, last_at) values (3, 1, 2, 0, 2, '2026-09-01T23:59:59Z')`,
  )
  await owner.end()
  const { routes, call } = openScene()
  const list = (query: object) => routes['GET /trading'](call({ query: { mode: 'demo', ...query } }))
  expect(await list({})).toMatchObject({ archived_before: '2026-09-02' })
  expect(await list({ limit: '2' })).not.toHaveProperty('archived_before')
  expect(await list({ mode: 'real' })).not.toHaveProperty('archived_before')
})
