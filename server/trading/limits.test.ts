import { beforeEach, expect, test } from 'vitest'
import { type Usd, usd } from '#kernel/money.ts'
import { changeSettings, clearSymbolLimits } from '#tests/support/people/settings.ts'
import { type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { storeTrades } from '#tests/support/trades/stored-trades.ts'
import { accountOf, openAccounts } from '../ledger/index.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import { setThinSymbols } from './acceptance/limits/thin-symbols.ts'
import { maxStake, setTradingLimits, stakeLimits, type TradingLimitsChange, tradingLimits } from './limits.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await clearSymbolLimits(database.db)
})

const dollars = (cents: Usd | undefined) => (cents === undefined ? undefined : Number(cents) / 100)
const symbolOf = async (id: number) =>
  (await database.db.selectFrom('instruments').select('symbol').where('id', '=', id).executeTakeFirstOrThrow()).symbol
const set = async (change: TradingLimitsChange) =>
  changeSettings(
    database.db,
    {
      stake_max: dollars(change.stakeMax),
      open_stake_max: dollars(change.openStakeMax),
      worst_loss_percent: change.worstLossPercent,
      symbol_limits: await Promise.all(
        (change.symbols ?? []).map(async ({ symbolId, openMax }) => ({
          symbol: await symbolOf(symbolId),
          open_max: openMax === null ? null : Number(openMax) / 100,
        })),
      ),
    },
    (tx) => setTradingLimits(tx, change),
  )
const earlier = async () =>
  (
    await sql<{ open_stake_max: bigint }>`select open_stake_max from open_stake_limits order by until`.execute(
      database.db,
    )
  ).rows.map((row) => row.open_stake_max)

test('what is left out of a change stays; the limit of open stakes that no longer holds is kept', async () => {
  const shipped = { stakeMax: 1_000_000n, openStakeMax: 5_000_000n, worstLossPercent: 50, symbols: [] }
  expect(await tradingLimits(database.db)).toEqual(shipped)
  await set({})
  expect(await tradingLimits(database.db)).toEqual(shipped)
  await set({ stakeMax: usd(2_000n) })
  expect(await tradingLimits(database.db)).toEqual({ ...shipped, stakeMax: 2_000n })
  expect(await maxStake(database.db)).toBe(2_000n)
  expect(await earlier()).toEqual([])
  await set({ openStakeMax: usd(3_000n), symbols: [] })
  await set({ openStakeMax: usd(4_000n) })
  await set({ worstLossPercent: 20 })
  expect(await tradingLimits(database.db)).toEqual({
    stakeMax: 2_000n,
    openStakeMax: 4_000n,
    worstLossPercent: 20,
    symbols: [],
  })
  expect(await earlier()).toEqual([5_000_000n, 3_000n])
})

test("a symbol's limit counts the real trades that are open", async () => {
  await storeTrades(
    database,
    { mode: 'real', symbol: 2, stake: 700n },
    { mode: 'real', symbol: 2, stake: 50_000n, user: 2n },
    { mode: 'demo', symbol: 2, stake: 900n },
    { mode: 'real', symbol: 3, stake: 1_100n },
    { mode: 'real', symbol: 2, stake: 1_300n, status: 'Lost' },
  )
  await set({ symbols: [{ symbolId: 2, openMax: usd(60_000n) }] })
  await set({ symbols: [{ symbolId: 1, openMax: usd(0n) }] })
  expect((await tradingLimits(database.db)).symbols).toEqual([
    { symbolId: 1, openMax: 0n, open: 0n },
    { symbolId: 2, openMax: 60_000n, open: 50_700n },
  ])
  await inTransaction(database.db, async (tx) => {
    await openUser(tx, 5n)
    await openAccounts(tx, 5n)
  })
  const room = async (symbolId: number, mode: 'real' | 'demo' = 'real') =>
    (await stakeLimits(database.db, { accountId: accountOf(5n, mode), mode, symbolId })).symbolRoom
  expect([await room(2), await room(2, 'demo'), await room(3), await room(1)]).toEqual([9_300n, null, null, 0n])
  // A limit below what is open leaves no room; it keeps the count.
  await set({
    symbols: [
      { symbolId: 2, openMax: usd(100n) },
      { symbolId: 1, openMax: null },
    ],
  })
  expect((await tradingLimits(database.db)).symbols).toEqual([{ symbolId: 2, openMax: 100n, open: 50_700n }])
  expect(await room(2)).toBe(0n)
})

test('a symbol whose price two exchanges make is limited as long as they do, whatever operators allow', async () => {
  await storeTrades(database, { mode: 'real', symbol: 2, stake: 700n })
  await inTransaction(database.db, async (tx) => {
    await openUser(tx, 5n)
    await openAccounts(tx, 5n)
  })
  const limits = async (symbolId: number) =>
    (await stakeLimits(database.db, { accountId: accountOf(5n, 'real'), mode: 'real', symbolId })).symbolRoom
  const thin = (...ids: number[]) => setThinSymbols(database.db, new Map(ids.map((id) => [id, usd(1_000n)])))
  await set({ symbols: [{ symbolId: 3, openMax: usd(600n) }] })
  expect(await thin(2, 3)).toBe(true)
  expect(await thin(2, 3), 'nothing has changed').toBe(false)
  expect([await limits(1), await limits(2), await limits(3)]).toEqual([null, 300n, 600n])
  // Operators see and change their own limits only.
  expect((await tradingLimits(database.db)).symbols).toEqual([{ symbolId: 3, openMax: 600n, open: 0n }])
  await set({ symbols: [{ symbolId: 3, openMax: usd(5_000n) }] })
  expect(await limits(3)).toBe(1_000n)
  await set({ symbols: [{ symbolId: 3, openMax: null }] })
  expect(await limits(3), 'it is still thin').toBe(1_000n)
  expect(await thin()).toBe(true)
  expect([await limits(2), await limits(3)]).toEqual([null, null])
  const { rows } = await sql`select from symbol_open`.execute(database.db)
  expect(rows).toEqual([])
})
