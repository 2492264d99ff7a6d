import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AutomationBody } from '#contract/automatic.ts'
import type { Mode, StrategyId } from '#contract/terms.ts'
import { usd } from '#kernel/money.ts'
import { halt, read } from '#server/automatic/automation.ts'
import { switchOff, switchOn } from '#server/automatic/index.ts'
import { stopOutdated } from '#server/automatic/outdated.ts'
import { sendSummaries } from '#server/automatic/summary.ts'
import { automaticChecks } from '#server/invariants/index.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/db.ts'
import { newestMails } from '#server/platform/mail/outbox.ts'
import { judgeDue } from '#server/signals/judge.ts'
import { openAutomatic } from '#tests/support/automatic.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { type Market, openMarket } from '#tests/support/market.ts'
import { verifyUser } from '#tests/support/money.ts'

let database: TestDatabase
let market: Market
let automatic: ReturnType<typeof openAutomatic>

beforeAll(async () => {
  database = await createTestDatabase({ max: 20 })
  market = await openMarket(database)
  automatic = openAutomatic(database, market)
  await automatic.toNextClose()
  await automatic.toNextClose()
})
afterAll(async () => {
  await market.close()
  await database.drop()
})

const save = (userId: bigint, more: Partial<AutomationBody> = {}) => automatic.save(userId, more)
const begin = (userId: bigint, mode: Mode = 'demo', confirmed = true) => automatic.start(userId, mode, confirmed)
const minute = (price?: number) => automatic.minute(price)
const now = (userId: bigint, mode: Mode = 'demo') => read(automatic.deps, database.db, userId, mode)

async function running(more: Partial<AutomationBody> = {}): Promise<bigint> {
  const userId = await market.trader(100_000n)
  await save(userId, more)
  await begin(userId, more.mode ?? 'demo')
  return userId
}

const orders = (userId: bigint, mode: Mode = 'demo') =>
  database.db
    .selectFrom('automatic_orders')
    .selectAll()
    .where('account_id', '=', accountOf(userId, mode))
    .orderBy('signal')
    .execute()

test('a started automation trades a signal like a click: stake, side, duration and balance', async () => {
  const userId = await running({ strategy: 'breakout', stake: 25, strike_rate: '11/13' })
  await minute()
  const [order] = await orders(userId)
  expect(order).toMatchObject({ status: 'Traded', stake: 2_500n, slot: 1 })
  const trade = await database.db
    .selectFrom('trades')
    .selectAll()
    .where('id', '=', order!.trade_id!)
    .executeTakeFirstOrThrow()
  expect(trade).toMatchObject({
    ...{ mode: 'demo', side: 'Sell', percent: 13, stake: 2_500n, duration_seconds: 60, signal: order!.signal },
    key: `automatic:${order!.signal}:demo`,
  })
  const signal = await database.db
    .selectFrom('signals')
    .selectAll()
    .where('n', '=', order!.signal)
    .executeTakeFirstOrThrow()
  expect(trade.trade_time >= signal.at && trade.trade_time <= signal.at + 5_000n).toBe(true)
  expect((await now(userId)).today).toMatchObject({ used: 1, limit: 14 })
  await automatic.follower.round()
  expect(await orders(userId), 'one at a time').toHaveLength(1)
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

test('does not trade before the start, after a stop, on other days, or on another side', async () => {
  const day = new Date(market.clock.now()).getUTCDay()
  const saved = await market.trader()
  await save(saved)
  const stopped = await running()
  await halt(automatic.deps, { userId: stopped, mode: 'demo', to: 'Off' })
  const paused = await running()
  await halt(automatic.deps, { userId: paused, mode: 'demo', to: 'Paused' })
  const otherDay = await running({ days: [(day + 3) % 7] })
  const otherSide = await running({ sides: 'Sell' })
  const otherSymbol = await running({ symbols: ['ETHUSDT'] })
  await minute()
  for (const userId of [saved, stopped, paused, otherDay, otherSide, otherSymbol])
    expect(await orders(userId)).toEqual([])
  await begin(paused)
  await minute()
  expect(await orders(paused)).toMatchObject([{ status: 'Traded' }])
  await halt(automatic.deps, { userId: paused, mode: 'demo', to: 'Off' })
})

test('real money needs a plan, an approved identity and a confirmation', async () => {
  const userId = await market.trader(100_000n)
  await expect(begin(userId, 'real')).rejects.toThrow('Save your settings first.')
  await save(userId, { mode: 'real' })
  await expect(begin(userId, 'real')).rejects.toThrow(/Choose a plan/)
  await database.db.updateTable('users').set({ trading_plan: 'Beginner-3000' }).where('id', '=', userId).execute()
  await expect(begin(userId, 'real')).rejects.toThrow(/Verify your identity/)
  await verifyUser(database.db, userId)
  await expect(begin(userId, 'real', false)).rejects.toThrow(/Confirm/)
  expect((await begin(userId, 'real')).state).toBe('Running')
  const { confirmed } = await database.db
    .selectFrom('automations')
    .select('confirmed')
    .where('account_id', '=', accountOf(userId, 'real'))
    .executeTakeFirstOrThrow()
  expect(confirmed).toMatch(/you need [\d.]+ % to break even/)

  await minute()
  expect(await orders(userId, 'real')).toMatchObject([{ status: 'Traded', slot: 1 }])
  await automatic.settleAt(60_000)
  await minute()
  const after = await now(userId, 'real')
  expect(after.today, "the plan's one trade a day").toMatchObject({ used: 1, limit: 1 })
  expect(after.idle?.reason).toBe('day')
  expect((await orders(userId, 'real')).map((order) => order.reason)).toEqual([null, 'day'])
  await minute()
  expect(await orders(userId, 'real'), 'no more rows for the rest of the day').toHaveLength(2)
  await halt(automatic.deps, { userId, mode: 'real', to: 'Off' })
})

test('losing the approved identity stops automatic trades with real money, with a notice', async () => {
  const userId = await market.trader(100_000n)
  await database.db.updateTable('users').set({ trading_plan: 'Gold-7600' }).where('id', '=', userId).execute()
  await verifyUser(database.db, userId)
  await save(userId, { mode: 'real' })
  await begin(userId, 'real')
  await sql`update identity_checks set superseded_at = now() where user_id = ${userId}`.execute(database.db)
  await minute()
  expect(await now(userId, 'real')).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringContaining('identity'),
  })
  const notices = await database.db.selectFrom('notices').selectAll().where('user_id', '=', userId).execute()
  expect(notices.map((notice) => notice.title)).toContain('Automatic trades stopped')
})

const titlesOf = async (userId: bigint) =>
  (await database.db.selectFrom('notices').select('title').where('user_id', '=', userId).execute()).map(
    ({ title }) => title,
  )

test('stops after losses in a row, daily losses and total losses', async () => {
  const inRow = await running({ losses_in_row: 1, loss_a_day: 500, loss_in_all: 500 })
  const aDay = await running({ stake: 10, loss_a_day: 15, loss_in_all: 500 })
  const inAll = await running({ stake: 10, loss_a_day: 15, loss_in_all: 15 })
  await minute(60_000)
  // Makes Buy trades lose.
  await automatic.settleAt(59_000)
  await automatic.follower.round()
  // The loss itself stops it; the others depend on the next stake.
  expect(await now(inRow)).toMatchObject({
    state: 'Stopped',
    stop_reason: 'Stopped after 1 loss in a row. You can start again at any time; losses then count from zero.',
    total: { lost: 1, result: -10, losses_in_row: 1 },
  })
  for (const userId of [aDay, inAll]) expect((await now(userId)).state).toBe('Running')
  await minute(59_000)
  expect(await now(aDay)).toMatchObject({ state: 'Running', idle: { reason: 'stop' }, today: { result: -10 } })
  expect(await now(inAll)).toMatchObject({ state: 'Stopped' })
  expect(await orders(inRow)).toMatchObject([{ status: 'Traded', stopped: true }])
  for (const userId of [aDay, inAll])
    expect(await orders(userId)).toMatchObject([
      { status: 'Traded', stopped: false },
      { status: 'Skipped', reason: 'stop', stopped: false },
    ])
  for (const userId of [inRow, aDay, inAll]) expect(await titlesOf(userId)).toHaveLength(1)
  // Counting starts at zero after a restart.
  await begin(inRow)
  expect(await now(inRow)).toMatchObject({ state: 'Running', total: { trades: 0, losses_in_row: 0 } })
  for (const userId of [inRow, aDay]) await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

/** Trades one signal with Buy, and lets it end 10 % higher or lower. */
async function trade(outcome: 'Won' | 'Lost'): Promise<void> {
  await minute(60_000)
  await automatic.settleAt(outcome === 'Won' ? 66_000 : 54_000)
  await automatic.follower.round()
}
const stoppedOf = async (userId: bigint) => (await orders(userId)).map(({ stopped }) => stopped)

test('a win between losses starts the row again', async () => {
  const userId = await running({ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
  for (const outcome of ['Lost', 'Won', 'Lost'] as const) await trade(outcome)
  expect(await now(userId)).toMatchObject({ state: 'Running', total: { lost: 2, losses_in_row: 1 } })
  await trade('Lost')
  expect(await now(userId)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringMatching(/^Stopped after 2 losses in a row\./),
    total: { lost: 3, losses_in_row: 2 },
  })
  expect(await stoppedOf(userId)).toEqual([false, false, false, true])
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

test('after a new start, only losses of trades that follow later signals count', async () => {
  const userId = await running({ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
  await trade('Lost')
  await trade('Lost')
  expect((await now(userId)).state).toBe('Stopped')
  await begin(userId)
  await trade('Lost')
  expect(await now(userId)).toMatchObject({ state: 'Running', total: { losses_in_row: 1 } })
  expect(await stoppedOf(userId)).toEqual([false, true, false])

  // A trade that was open at the start belongs to the time before it.
  const impatient = await running({ losses_in_row: 1, loss_a_day: 500, loss_in_all: 500 })
  await minute(60_000)
  await halt(automatic.deps, { userId: impatient, mode: 'demo', to: 'Off' })
  await begin(impatient)
  await automatic.settleAt(54_000)
  await automatic.follower.round()
  expect(await now(impatient)).toMatchObject({ state: 'Running', today: { lost: 1 }, total: { losses_in_row: 0 } })
  expect(await stoppedOf(impatient)).toEqual([false])
  for (const id of [userId, impatient]) await halt(automatic.deps, { userId: id, mode: 'demo', to: 'Off' })
})

test('a loss stops paused automatic trades, and leaves those alone that are off or stopped', async () => {
  const [paused, off, outdated] = [
    await running({ losses_in_row: 1 }),
    await running({ losses_in_row: 1 }),
    await running({ losses_in_row: 1 }),
  ]
  await minute(60_000)
  await halt(automatic.deps, { userId: paused, mode: 'demo', to: 'Paused' })
  await halt(automatic.deps, { userId: off, mode: 'demo', to: 'Off' })
  await database.db
    .updateTable('automations')
    .set({ state: 'Stopped', stop_reason: 'Another reason.' })
    .where('account_id', '=', accountOf(outdated, 'demo'))
    .execute()
  await automatic.settleAt(54_000)
  await automatic.follower.round()
  expect(await now(paused)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringMatching(/^Stopped after 1 loss in a row\./),
  })
  expect(await titlesOf(paused)).toEqual(['Automatic trades stopped'])
  expect(await now(off)).toMatchObject({ state: 'Off', total: { lost: 1 } })
  expect(await now(outdated)).toMatchObject({ state: 'Stopped', stop_reason: 'Another reason.', total: { lost: 1 } })
  for (const userId of [off, outdated]) {
    expect(await titlesOf(userId)).toEqual([])
    expect(await stoppedOf(userId)).toEqual([false])
  }
})

test('does not resume with as many losses in a row as the changed settings allow', async () => {
  const userId = await running({ losses_in_row: 3, loss_a_day: 500, loss_in_all: 500 })
  await trade('Lost')
  await trade('Lost')
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Paused' })
  await save(userId, { losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
  await expect(begin(userId)).rejects.toThrow(/^You have 2 losses in a row, and your settings stop at 2\./)
  expect((await now(userId)).state).toBe('Paused')
  await save(userId, { losses_in_row: 3, loss_a_day: 500, loss_in_all: 500 })
  expect(await begin(userId)).toMatchObject({ state: 'Running', total: { losses_in_row: 2 } })
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

/** Returns how many statements wait for a lock. */
async function lockWaits(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db)
  return rows[0]!.n
}

test('a loss that two rounds find at once stops once', async () => {
  const userId = await running({ losses_in_row: 1 })
  await minute(60_000)
  await automatic.settleAt(54_000)
  const rounds = await inTransaction(database.db, async (tx) => {
    await sql`select from automations where account_id = ${accountOf(userId, 'demo')} for update`.execute(tx)
    let done = 0
    const both = [1, 2].map(() =>
      automatic
        .anotherFollower()
        .round()
        .finally(() => done++),
    )
    // Each has seen the loss: it waits for the follower's row, or has left the loss to the other.
    await expect.poll(async () => (await lockWaits()) + done).toBe(2)
    return both
  })
  await Promise.all(rounds)
  expect((await now(userId)).state).toBe('Stopped')
  expect(await stoppedOf(userId)).toEqual([true])
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

test('a loss that is found while the trader stops leaves automatic trades off', async () => {
  const userId = await running({ losses_in_row: 1 })
  await minute(60_000)
  await automatic.settleAt(54_000)
  const { round } = await inTransaction(database.db, async (tx) => {
    await tx
      .updateTable('automations')
      .set({ state: 'Off' })
      .where('account_id', '=', accountOf(userId, 'demo'))
      .execute()
    const round = automatic.follower.round()
    await expect.poll(lockWaits).toBe(1)
    return { round }
  })
  await round
  expect(await now(userId)).toMatchObject({ state: 'Off', total: { lost: 1 } })
  expect(await stoppedOf(userId)).toEqual([false])
  expect(await titlesOf(userId)).toEqual([])
})

test('a round that dies before it has notified the trader leaves the loss to the next one', async () => {
  const userId = await running({ losses_in_row: 1 })
  await minute(60_000)
  await automatic.settleAt(54_000)
  const dying = automatic.anotherFollower({ notices: { write: () => Promise.reject(new Error('killed')) } })
  await expect(dying.round()).rejects.toThrow('killed')
  expect((await now(userId)).state).toBe('Running')
  expect(await orders(userId)).toMatchObject([{ payout: null, stopped: false }])
  await automatic.follower.round()
  expect((await now(userId)).state).toBe('Stopped')
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

test('a loss that an engine of the previous version has copied stops at the next signal', async () => {
  const userId = await running({ losses_in_row: 1 })
  await minute(60_000)
  await automatic.settleAt(54_000)
  await sql`
    update automatic_orders o set payout = t.payout from trades t
    where o.status = 'Traded' and o.payout is null and t.id = o.trade_id and t.status <> 'Pending'`.execute(database.db)
  await automatic.follower.round()
  expect((await now(userId)).state).toBe('Running')
  await minute()
  expect(await now(userId)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringMatching(/^Stopped after 1 loss in a row\./),
  })
  expect(await orders(userId)).toMatchObject([
    { status: 'Traded', stopped: false },
    { status: 'Skipped', reason: 'stop' },
  ])
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

test('too low a balance skips signals for ten minutes; a percentage stake follows the balance to its cap', async () => {
  const poor = await running({ stake: 9_999, loss_a_day: 20_000, loss_in_all: 20_000 })
  await market.submit(poor, { amount: 5_000, duration: 3_600 })
  await automatic.frame(1_000)
  const share = await running({ stake: 400, stake_percent: 5, loss_a_day: 500, loss_in_all: 500 })
  await minute()
  const { balance } = await database.db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountOf(share, 'demo'))
    .executeTakeFirstOrThrow()
  const [order] = await orders(share)
  const before = balance + order!.stake
  expect(order!.stake).toBe(before / 20n < 40_000n ? before / 20n : 40_000n)
  expect(await orders(poor)).toMatchObject([{ status: 'Skipped', reason: 'balance' }])
  const { idle } = await now(poor)
  expect(idle?.reason).toBe('balance')
  expect(Date.parse(idle!.until) - market.clock.now()).toBeLessThanOrEqual(600_000)
  for (const userId of [poor, share]) await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

test("doesn't trade for a trader with a sign-in lock, who couldn't stop it", async () => {
  const userId = await running()
  await database.db
    .updateTable('users')
    .set({ sign_in_locked_at: new Date(), sign_in_lock_reason: 'Under review.' })
    .where('id', '=', userId)
    .execute()
  await minute()
  expect(await orders(userId)).toMatchObject([{ status: 'Skipped', reason: 'locked' }])
  expect((await now(userId)).idle?.reason).toBe('locked')
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

test('does not follow a new version of a strategy until its followers start again', async () => {
  const userId = await running()
  const current = await running()
  await database.db
    .updateTable('automations')
    .set({ version: 99 })
    .where('account_id', '=', accountOf(userId, 'demo'))
    .execute()
  await stopOutdated(automatic.deps)
  await stopOutdated(automatic.deps)
  expect(await now(userId)).toMatchObject({ state: 'Stopped', stop_reason: expect.stringContaining('new version') })
  expect((await now(current)).state).toBe('Running')
  const notices = await database.db.selectFrom('notices').select('title').where('user_id', '=', userId).execute()
  expect(notices).toHaveLength(1)
  expect((await begin(userId)).state).toBe('Running')
  for (const id of [userId, current]) await halt(automatic.deps, { userId: id, mode: 'demo', to: 'Off' })
})

test('another worker trades a fresh reservation whose worker died, once', async () => {
  const userId = await running()
  await automatic.toNextClose()
  const dead = automatic.anotherFollower({ trading: { open: () => Promise.reject(new Error('killed')) } })
  await dead.round()
  expect(await orders(userId)).toMatchObject([{ status: 'Reserved' }])
  await automatic.frame(1_100)
  const [a, b] = [automatic.anotherFollower(), automatic.anotherFollower()]
  await Promise.all([a.round(), b.round(), automatic.follower.round()])
  expect(await orders(userId)).toMatchObject([{ status: 'Traded' }])
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

test('skips an old reservation as stale, and rejects its trade even if a worker wakes up late', async () => {
  const userId = await running()
  await automatic.toNextClose()
  let late: (() => Promise<unknown>) | undefined
  const asleep = automatic.anotherFollower({
    trading: {
      open(command) {
        late = () => market.trading.open(command)
        return Promise.reject(new Error('asleep'))
      },
    },
  })
  await asleep.round()
  await automatic.frame(6_000)
  await expect(late!(), 'too old').rejects.toMatchObject({ code: '23514' })
  await automatic.follower.round()
  expect(await orders(userId)).toMatchObject([{ status: 'Skipped', reason: 'stale', trade_id: null }])
  await expect(late!(), 'given up').rejects.toMatchObject({ code: '23514' })
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

test('stopping cancels a reservation immediately', async () => {
  const userId = await running()
  await automatic.toNextClose()
  const slow = automatic.anotherFollower({
    trading: {
      async open(command) {
        await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
        return market.trading.open(command)
      },
    },
  })
  await slow.round()
  expect(await orders(userId)).toMatchObject([{ status: 'Skipped', reason: 'ended' }])
})

test('the database rejects a second open trade, a used slot, changing a final order, and a forged automatic trade', async () => {
  const userId = await running()
  await minute()
  const accountId = accountOf(userId, 'demo')
  const [order] = await orders(userId)
  const copy = { ...order!, signal: 999_999n, trade_id: null, payout: null, status: 'Reserved' as const }
  await expect(database.db.insertInto('automatic_orders').values(copy).execute()).rejects.toThrow(
    /automatic_orders_(slot|open)/,
  )
  await automatic.settleAt(60_000)
  await automatic.follower.round()
  await expect(database.db.insertInto('automatic_orders').values(copy).execute()).rejects.toThrow(
    /automatic_orders_slot/,
  )
  await expect(
    database.db
      .updateTable('automatic_orders')
      .set({ payout: usd(1n) })
      .where('account_id', '=', accountId)
      .execute(),
  ).rejects.toThrow(/final/)
  const forged = {
    ...(await database.db
      .selectFrom('trades')
      .selectAll()
      .where('id', '=', order!.trade_id!)
      .executeTakeFirstOrThrow()),
  }
  await expect(
    database.db
      .insertInto('trades')
      .values({
        ...forged,
        id: 5n,
        key: null,
        fingerprint: null,
        signal: 12345n,
        status: 'Pending',
        payout: null,
        settled_at: null,
        outcome_reason: null,
        entry_price: null,
        entry_seq: null,
        entry_time: null,
        exit_price: null,
        exit_seq: null,
        exit_time: null,
      })
      .execute(),
  ).rejects.toThrow(/not reserved/)
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

/** Switches a strategy on with two operators. */
const switchOnByTwo = (strategy: StrategyId) =>
  inTransaction(database.db, async (tx) => {
    const [one, two] = await tx
      .insertInto('operators')
      .values(
        ['one', 'two'].map((name) => ({
          ...{ email: `${name}@desk.example`, password_hash: 'x', totp_secret: Buffer.from('x'), roles: ['risk'] },
        })),
      )
      .returning('id')
      .execute()
    await tx.insertInto('strategy_restarts').values({ strategy, reason: 'Reviewed.', proposed_by: one!.id }).execute()
    await tx
      .updateTable('strategy_restarts')
      .set({ status: 'Approved', decided_by: two!.id, decided_at: sql<Date>`clock_timestamp()` })
      .execute()
    await switchOn(tx, strategy)
  })

test('a strategy that operators switched off is not followed and cannot be started', async () => {
  const userId = await running()
  await inTransaction(database.db, (tx) => switchOff(tx, ['trend'], 'Under review.'))
  await minute()
  expect(await orders(userId)).toEqual([])
  expect((await now(userId)).switched_off).toBe('Under review.')
  const other = await market.trader()
  await save(other)
  await expect(begin(other)).rejects.toThrow(/switched off/)
  await expect(inTransaction(database.db, (tx) => switchOn(tx, 'trend'))).rejects.toThrow(/two operators/)
  await switchOnByTwo('trend')
  expect((await now(userId)).switched_off).toBeUndefined()
  await minute()
  expect(await orders(userId)).toMatchObject([{ status: 'Traded' }])
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
})

test('after midnight each account with trades receives one summary', async () => {
  const userId = await running({ stake: 10 })
  await minute(60_000)
  await automatic.settleAt(61_000)
  await automatic.follower.round()
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Off' })
  const day = 86_400_000
  await automatic.frame(day - (market.clock.now() % day) + 60_000)
  const next = await running()
  await automatic.toNextClose()
  await minute()
  await market.settled()
  await judgeDue(database.db, market.prices.tape, market.prices.instruments)
  const { measured } = await now(userId)
  const sent = await sendSummaries(automatic.deps)
  expect(sent).toBeGreaterThan(0)
  expect(await sendSummaries(automatic.deps)).toBe(0)
  const mine = await database.db
    .selectFrom('notices')
    .selectAll()
    .where('user_id', '=', userId)
    .where('title', 'like', 'Your automatic trades on%')
    .execute()
  expect(mine).toHaveLength(1)
  expect(mine[0]!.text).toBe('1 trade on your demo account: 1 won, 0 lost. Result: +$7.50.')

  expect(measured).toMatch(/^Measured .* over \d+ signals; you need [\d.]+ % to break even$/)
  const [mail] = (await newestMails(database.db, `user-${userId}@example.org`, 10)).filter(
    ({ subject }) => subject === mine[0]!.title,
  )
  expect(mail!.text.split('\n\n')).toEqual([
    'Hello,',
    `Here are the results of your automatic trades on ${mine[0]!.title.slice(-10)} (UTC), on your demo account.`,
    ['Trades: 1 of 14 allowed', 'Won: 1', 'Lost: 0', 'Draw or void, stake returned: 0', 'Net result: +$7.50'].join(
      '\n',
    ),
    `The Trend strategy so far: ${measured}.`,
    "Past results don't predict the next trades, and you can lose every stake.",
    'See each trade:\nhttp://localhost:3000/user/automatic',
    'We send this once after each day with automatic trades. You can pause or stop them on the same page.',
    "If you didn't start automatic trades, change your password and contact us.",
    'Cleartick\n',
  ])
  expect(mail!.html).toContain('>Net result</th>')
  expect(mail!.links).toEqual(['http://localhost:3000/user/automatic'])
  await halt(automatic.deps, { userId: next, mode: 'demo', to: 'Off' })
})

test('every invariant holds after these tests', async () => {
  const client = await connectTo(database.superUrl)
  for (const check of automaticChecks) expect((await client.query(check.sql)).rows, check.says).toEqual([])
  await client.end()
  expect(await market.broken()).toEqual([])
})
