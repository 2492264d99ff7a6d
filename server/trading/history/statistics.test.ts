import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tallyOf } from '#contract/prices/measured.ts'
import { DURATIONS, type TradeStatus } from '#contract/terms.ts'
import { dayIn, hourOf, weekdayOf, zoneOffset } from '#kernel/zone.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { endOf, payoutOf, type StoredTrade, storeTrades, TRADED_AT } from '#tests/support/trades/stored-trades.ts'
import { accountOf } from '../../ledger/index.ts'
import type { Instruments } from '../../prices/index.ts'
import { tradeHistory } from '../store.ts'
import { tradeResults } from './results.ts'
import { tradeStatistics } from './statistics.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const listed = [instrument({ id: 1, symbol: 'BTCUSDT' }), instrument({ id: 3, symbol: 'ETHUSDT' })]
const instruments = { byId: (id: number) => listed.find((one) => one.id === id) } as Instruments
const statistics = (filter: object, most?: number) =>
  tradeStatistics(database.db, instruments, { userId: 1n, mode: 'demo', ...filter }, most)

/** Returns the stake of a lost trade, as a ruling does. */
async function returnStake({ id, user, mode, stake }: StoredTrade): Promise<void> {
  const client = await connectTo(database.superUrl)
  await client.query('set session_replication_role = replica')
  await client.query('insert into trade_remedies (trade_id, ruling_id, account_id, amount) values ($1, 1, $2, $3)', [
    id,
    accountOf(user, mode),
    stake,
  ])
  await client.end()
}

const someTrade = fc.record({
  status: fc.constantFrom<TradeStatus>('Won', 'Won', 'Lost', 'Lost', 'Draw', 'Void', 'Sold', 'Sold', 'Pending'),
  /** What it was sold for, in hundredths of a percent of a win: more than the stake, or less. */
  soldShare: fc.integer({ min: 1_000, max: 9_600 }).map(BigInt),
  symbol: fc.constantFrom(1, 3),
  side: fc.constantFrom('Buy' as const, 'Sell' as const),
  percent: fc.constantFrom(75, 12, 3, 1),
  seconds: fc.constantFrom(...DURATIONS),
  stake: fc.integer({ min: 100, max: 1_000_000 }).map(BigInt),
  // Over a change of clocks in New York and in Sydney.
  tradeTime: fc.integer({ min: 0, max: 70 * 24 * 3_600 }).map((seconds) => TRADED_AT + seconds * 1_000),
  isAutomatic: fc.boolean(),
  isReturned: fc.boolean(),
})

const dollars = (cents: number) => cents / 100

/** The same figures, one trade after the other. */
function naive(trades: readonly (StoredTrade & { isReturned: boolean })[], zone: string) {
  const ended = trades
    .filter(({ status }) => status !== 'Pending')
    .map((trade) => {
      const endTime = endOf(trade)
      const returned = trade.status === 'Lost' && trade.isReturned ? trade.stake : 0n
      return { ...trade, endTime, result: Number((payoutOf(trade) ?? 0n) + returned - trade.stake) }
    })
    .sort((a, b) => a.endTime - b.endTime || Number(a.id - b.id))
  const isDecided = ({ status }: StoredTrade) => status === 'Won' || status === 'Lost'
  function figuresOf(list: typeof ended) {
    const count = (status: TradeStatus) => list.filter((trade) => trade.status === status).length
    const sum = (of: typeof ended, value: (trade: (typeof ended)[number]) => number) =>
      of.reduce((total, trade) => total + value(trade), 0)
    const decided = list.filter(isDecided)
    const staked = sum(decided, ({ stake }) => Number(stake))
    const paidIfWon = sum(decided, ({ stake, percent }) => (Number(stake) * (100 + percent)) / 100)
    const closes = Map.groupBy(decided, ({ tradeTime }) => Math.floor(tradeTime / 3_600_000)).values()
    const { spread } = tallyOf(
      [...closes].map((close) => ({
        won: close.filter(({ status }) => status === 'Won').length,
        lost: close.filter(({ status }) => status === 'Lost').length,
      })),
    )
    return {
      ...{
        trades: list.length,
        won: count('Won'),
        lost: count('Lost'),
        draw: count('Draw'),
        void: count('Void'),
        sold: count('Sold'),
      },
      staked: dollars(sum(list, ({ stake }) => Number(stake))),
      net: dollars(sum(list, ({ result }) => result)),
      ...(staked > 0 && { break_even: Math.round((staked / paidIfWon) * 1_000) / 10 }),
      spread: [spread.closes, spread.ww, spread.wl, spread.ll],
    }
  }
  const groupsOf = (key: (trade: (typeof ended)[number]) => string | number) =>
    Object.fromEntries([...Map.groupBy(ended, key)].map(([name, list]) => [name, figuresOf(list)]))
  const localOf = ({ endTime }: { endTime: number }) => endTime + zoneOffset(zone, endTime)

  let [net, peak, fall] = [0, 0, 0]
  for (const { result } of ended) {
    net += result
    peak = Math.max(peak, net)
    fall = Math.min(fall, net - peak)
  }
  const longest = (status: TradeStatus) =>
    Math.max(
      0,
      ...ended
        .filter(isDecided)
        .map((trade) => (trade.status === status ? 'x' : ' '))
        .join('')
        .split(' ')
        .map(({ length }) => length),
    )
  return {
    totals: figuresOf(ended),
    fall: fall === 0 ? undefined : dollars(fall),
    losing: longest('Lost'),
    winning: longest('Won'),
    days: [...Map.groupBy(ended, ({ endTime }) => dayIn(zone, endTime))]
      .map(([day, list]) => [day, list.length, dollars(list.reduce((sum, { result }) => sum + result, 0))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    by: {
      symbol: groupsOf(({ symbol }) => instruments.byId(symbol)!.symbol),
      side: groupsOf(({ side }) => side),
      odds: groupsOf(({ percent }) => percent),
      offer: groupsOf(({ side, percent }) => `${side} ${percent}`),
      duration: groupsOf(({ seconds }) => seconds),
      hour: groupsOf((trade) => hourOf(localOf(trade))),
      weekday: groupsOf((trade) => weekdayOf(localOf(trade))),
      origin: groupsOf(({ signal }) => (signal === null ? 'manual' : 'automatic')),
    },
  }
}

test('gives the figures that counting one trade after the other gives, and each opens its trades', async () => {
  let user = 100n
  await fc.assert(
    fc.asyncProperty(
      fc.array(someTrade, { minLength: 1, maxLength: 40 }),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney', 'Australia/Lord_Howe'),
      async (some, zone) => {
        user++
        const stored = await storeTrades(
          database,
          ...some.map(({ isAutomatic, isReturned: _, soldShare, ...trade }, n) => ({
            ...trade,
            ...(trade.status === 'Sold' && {
              soldFor: (trade.stake * BigInt(100 + trade.percent) * soldShare) / 1_000_000n,
            }),
            user,
            signal: isAutomatic ? n : null,
          })),
        )
        const trades = stored.map((trade, n) => ({ ...trade, isReturned: some[n]!.isReturned }))
        for (const trade of trades) if (trade.status === 'Lost' && trade.isReturned) await returnStake(trade)

        const wanted = naive(trades, zone)
        const { by, fall, losing_run, winning_run, days, curve, ...found } = await statistics({ userId: user, zone })
        expect(found).toMatchObject(wanted.totals)
        expect(fall?.amount).toBe(wanted.fall)
        expect(losing_run?.trades ?? 0).toBe(wanted.losing)
        expect(winning_run?.trades ?? 0).toBe(wanted.winning)
        expect(days).toEqual(wanted.days)
        expect(curve.at(-1)?.[1] ?? 0).toBe(wanted.totals.net)
        for (const name of ['symbol', 'side', 'odds', 'offer', 'duration', 'hour', 'weekday', 'origin'] as const)
          expect(Object.fromEntries(by[name].map(({ key, ...figures }) => [key, figures]))).toEqual(wanted.by[name])

        // Each figure leads to its trades.
        const filter = { userId: user, mode: 'demo' as const, zone }
        const { won, lost, draw, void: voided, sold, net } = await tradeResults(database.db, filter)
        expect({ trades: won + lost + draw + voided + sold, sold, net }).toEqual({
          trades: found.trades,
          sold: found.sold,
          net: found.net,
        })
        const filters = [
          ...by.hour.map((one) => ({ one, filter: { hour: Number(one.key) } })),
          ...by.weekday.map((one) => ({ one, filter: { weekday: Number(one.key) } })),
          ...by.odds.map((one) => ({ one, filter: { percent: Number(one.key) } })),
          ...by.duration.map((one) => ({ one, filter: { durationSeconds: Number(one.key) } })),
          ...by.origin.map((one) => ({ one, filter: { origin: one.key as 'manual' } })),
        ]
        for (const { one, filter: only } of filters) {
          const { rows } = await tradeHistory(database.db, {
            ...filter,
            ...only,
            page: { after: undefined, limit: 100 },
          })
          expect(rows.filter(({ status }) => status !== 'Pending')).toHaveLength(one.trades)
        }
      },
    ),
    { numRuns: 12 },
  )
})

test('nothing without a settled trade', async () => {
  expect(await statistics({ userId: 3n, zone: 'UTC' })).toEqual({
    ...{ trades: 0, won: 0, lost: 0, draw: 0, void: 0, sold: 0, staked: 0, net: 0, returned: 0 },
    ...{ spread: [0, 0, 0, 0], curve: [], days: [] },
    by: { symbol: [], side: [], odds: [], offer: [], duration: [], hour: [], weekday: [], origin: [], tag: [] },
  })
})

test('the largest fall says from when to when, and a draw doesn’t end a run', async () => {
  const at = (n: number) => TRADED_AT + n * 60_000
  await storeTrades(
    database,
    ...(['Won', 'Lost', 'Draw', 'Lost', 'Won', 'Void'] as const).map((status, n) => ({
      status,
      user: 4n,
      tradeTime: at(n),
    })),
  )
  const { average_win, average_loss } = await statistics({ userId: 4n })
  expect({ average_win, average_loss }).toEqual({ average_win: 7.5, average_loss: 10 })
  // Back to the highest point, after the fall.
  await storeTrades(database, { status: 'Won', user: 4n, tradeTime: at(6), stake: 1_250n, percent: 100 })
  const { fall, losing_run, winning_run, average_stake, curve } = await statistics({ userId: 4n })
  expect(curve.map(([, net]) => net)).toEqual([7.5, -2.5, -2.5, -12.5, -5, -5, 7.5])
  const iso = (n: number) => new Date(at(n) + 60_000).toISOString()
  expect(fall).toEqual({ amount: -20, from: iso(0), to: iso(3) })
  expect(losing_run).toEqual({ trades: 2, from: iso(1), to: iso(3) })
  expect(winning_run).toEqual({ trades: 2, from: iso(4), to: iso(6) })
  expect(average_stake).toBe(10.36)
})

test('counts by end, in a time', async () => {
  const [first, second] = await storeTrades(
    database,
    { user: 5n, status: 'Won', seconds: 86_400 },
    { user: 5n, status: 'Lost', tradeTime: TRADED_AT + 3_600_000 },
  )
  const ends = first!.tradeTime + 86_400_000
  expect(await statistics({ userId: 5n, endedFrom: ends })).toMatchObject({ trades: 1, won: 1 })
  expect(await statistics({ userId: 5n, endedFrom: ends + 1 })).toMatchObject({ trades: 0 })
  expect(await statistics({ userId: 5n, endedUntil: ends })).toMatchObject({ trades: 1, lost: 1 })
  expect(await statistics({ userId: 5n }, 1)).toMatchObject({
    trades: 1,
    since: new Date(second!.tradeTime).toISOString(),
  })
})
