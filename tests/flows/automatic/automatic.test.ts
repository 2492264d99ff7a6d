import { expect, test } from 'vitest'
import type { StrategyId } from '#contract/terms.ts'
import { DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import { usd } from '#kernel/money.ts'
import { halt } from '#server/automatic/automation.ts'
import { switchOff, switchOn } from '#server/automatic/index.ts'
import { stopOutdated } from '#server/automatic/outdated.ts'
import { sendSummaries } from '#server/automatic/summary.ts'
import { automaticChecks } from '#server/invariants/checks/automatic.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { newestMails } from '#server/platform/mail/outbox.ts'
import { decideProposal, insertProposal } from '#server/proposals/index.ts'
import { judgeDue } from '#server/signals/judge.ts'
import { automaticOfFile } from '#tests/support/people/automatic.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { verifyUser } from '#tests/support/trades/money.ts'

const { database, market, automatic } = await automaticOfFile()

test('a started automation trades a signal like a click: stake, side, duration and balance', async () => {
  const userId = await automatic.running({ strategy: 'breakout', stake: 25, strike_rate: '11/13' })
  await automatic.minute()
  const [order] = await automatic.orders(userId)
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
  expect((await automatic.now(userId)).today).toMatchObject({ used: 1, limit: 14 })
  await automatic.follower.round()
  expect(await automatic.orders(userId), 'one at a time').toHaveLength(1)
  await automatic.turnOff(userId)
})

const BOTH = [
  { ...DEFAULT_FOLLOWED, strategy: 'breakout' as const, stake: 25, strike_rate: '11/13' as const },
  { ...DEFAULT_FOLLOWED, strategy: 'trend' as const, stake: 10 },
]

test('follows several strategies: of one moment the upper one is traded, one trade at a time', async () => {
  const upper = await automatic.running({ strategies: BOTH })
  const reversed = await automatic.running({ strategies: BOTH.toReversed() })
  const onlySecond = await automatic.running({ strategies: [{ ...BOTH[0]!, sides: 'Buy' }, BOTH[1]!] })
  await automatic.minute(60_000)
  const tradesOf = async (userId: bigint) =>
    database.db
      .selectFrom('trades')
      .select(['side', 'stake', 'percent'])
      .where('account_id', '=', accountOf(userId, 'demo'))
      .execute()
  const breakout = { side: 'Sell', stake: 2_500n, percent: 13 }
  const trend = { side: 'Buy', stake: 1_000n, percent: 75 }
  expect(await tradesOf(upper)).toMatchObject([breakout])
  expect(await tradesOf(reversed)).toMatchObject([trend])
  expect(await tradesOf(onlySecond), 'a signal of another side is none').toMatchObject([trend])
  await automatic.follower.round()
  expect(await automatic.orders(upper), 'one trade at a time').toHaveLength(1)
  await automatic.turnOff(upper, reversed, onlySecond)
})

test('stops and limits are common to all strategies', async () => {
  const userId = await automatic.running({
    strategies: [{ ...BOTH[0]!, sides: 'Buy' }, BOTH[1]!],
    ...{ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 },
  })
  await automatic.minute(60_000)
  await automatic.settleAt(54_000)
  await automatic.follower.round()
  // The other one loses, too.
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Paused' })
  await automatic.save(userId, {
    strategies: [BOTH[0]!, { ...BOTH[1]!, sides: 'Sell' }],
    ...{ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 },
  })
  await automatic.start(userId)
  await automatic.minute(60_000)
  await automatic.settleAt(66_000)
  await automatic.follower.round()
  expect(await automatic.now(userId)).toMatchObject({
    state: 'Stopped',
    total: { lost: 2, losses_in_row: 2, result: -35 },
  })
})

test('saves one to five strategies, no two with the same duration, and says what is wrong', async () => {
  const userId = await market.trader()
  expect(() => automatic.save(userId, { strategies: [] })).toThrow('must not be empty')
  await expect(automatic.save(userId, { strategies: [BOTH[0]!, BOTH[1]!, BOTH[0]!] })).rejects.toMatchObject({
    errors: [{ field: 'strategies.2.duration', message: 'is followed with this strategy already' }],
  })
  const six = [60, 180, 300, 900, 1_800, 3_600].map((duration) => ({ ...DEFAULT_FOLLOWED, duration }))
  expect(() => automatic.save(userId, { strategies: six })).toThrow('must be at most 5')
  await automatic.save(userId, { strategies: six.slice(1) })
  const saved = await automatic.save(userId, { strategies: BOTH })
  expect(saved.settings.strategies).toEqual(BOTH)
  expect(saved.measured).toEqual([
    expect.stringMatching(/^Breakout, 1 min: .*you need [\d.]+% to break even$/),
    expect.stringMatching(/^Trend, 1 min: .*you need [\d.]+% to break even$/),
  ])
})

test('does not trade before the start, after a stop, on other days, or on another side', async () => {
  const day = new Date(market.clock.now()).getUTCDay()
  const saved = await market.trader()
  await automatic.save(saved)
  const stopped = await automatic.running()
  await automatic.turnOff(stopped)
  const paused = await automatic.running()
  await halt(automatic.deps, { userId: paused, mode: 'demo', to: 'Paused' })
  const otherDay = await automatic.running({ days: [(day + 3) % 7] })
  const otherSide = await automatic.running({ sides: 'Sell' })
  const otherSymbol = await automatic.running({ symbols: ['ETHUSDT'] })
  await automatic.minute()
  for (const userId of [saved, stopped, paused, otherDay, otherSide, otherSymbol])
    expect(await automatic.orders(userId)).toEqual([])
  await automatic.start(paused)
  await automatic.minute()
  expect(await automatic.orders(paused)).toMatchObject([{ status: 'Traded' }])
  await automatic.turnOff(paused)
})

test('real money needs a plan, an approved identity and a confirmation', async () => {
  const userId = await market.trader(100_000n)
  await expect(automatic.start(userId, 'real')).rejects.toThrow('Save your settings first.')
  await automatic.save(userId, { mode: 'real' })
  await expect(automatic.start(userId, 'real')).rejects.toThrow(/Choose a plan/)
  await database.db.updateTable('users').set({ trading_plan: 'Beginner-3000' }).where('id', '=', userId).execute()
  await expect(automatic.start(userId, 'real')).rejects.toThrow(/Verify your identity/)
  await verifyUser(database.db, userId)
  await expect(automatic.start(userId, 'real', false)).rejects.toThrow(/Confirm/)
  expect((await automatic.start(userId, 'real')).state).toBe('Running')
  const { confirmed } = await database.db
    .selectFrom('automations')
    .select('confirmed')
    .where('account_id', '=', accountOf(userId, 'real'))
    .executeTakeFirstOrThrow()
  expect(confirmed).toMatch(/you need [\d.]+% to break even/)

  await automatic.minute()
  expect(await automatic.orders(userId, 'real')).toMatchObject([{ status: 'Traded', slot: 1 }])
  await automatic.settleAt(60_000)
  await automatic.minute()
  const after = await automatic.now(userId, 'real')
  expect(after.today, "the plan's one trade a day").toMatchObject({ used: 1, limit: 1 })
  expect(after.idle?.reason).toBe('day')
  expect((await automatic.orders(userId, 'real')).map((order) => order.reason)).toEqual([null, 'day'])
  await automatic.minute()
  expect(await automatic.orders(userId, 'real'), 'no more rows for the rest of the day').toHaveLength(2)
  await halt(automatic.deps, { userId, mode: 'real', to: 'Off' })
})

test('a confirmation of results that were measured differently is asked for again before the next real trade', async () => {
  const userId = await market.trader(100_000n)
  await database.db.updateTable('users').set({ trading_plan: 'Gold-7600' }).where('id', '=', userId).execute()
  await verifyUser(database.db, userId)
  await automatic.save(userId, { mode: 'real' })
  await automatic.start(userId, 'real')
  // As the version that counted signals wrote it.
  const account = accountOf(userId, 'real')
  await sql`update automations set confirmed_method = null where account_id = ${account}`.execute(database.db)
  const inDemo = await automatic.running()
  await automatic.minute()
  expect(await automatic.orders(userId, 'real'), 'even before the engine stops it').toEqual([])
  expect(await automatic.orders(inDemo)).toMatchObject([{ status: 'Traded' }])

  await stopOutdated(automatic.deps)
  expect(await automatic.now(userId, 'real')).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringContaining('measure hit rates more strictly'),
  })
  expect((await automatic.now(inDemo)).state).toBe('Running')
  await expect(automatic.start(userId, 'real', false)).rejects.toThrow(/Confirm/)
  await automatic.start(userId, 'real')
  await automatic.minute()
  expect(await automatic.orders(userId, 'real')).toMatchObject([{ status: 'Traded' }])
  await halt(automatic.deps, { userId, mode: 'real', to: 'Off' })
  await automatic.turnOff(inDemo)
})

test('losing the approved identity stops automatic trades with real money, with a notice', async () => {
  const userId = await market.trader(100_000n)
  await database.db.updateTable('users').set({ trading_plan: 'Gold-7600' }).where('id', '=', userId).execute()
  await verifyUser(database.db, userId)
  await automatic.save(userId, { mode: 'real' })
  await automatic.start(userId, 'real')
  await sql`update identity_checks set superseded_at = now() where user_id = ${userId}`.execute(database.db)
  await automatic.minute()
  expect(await automatic.now(userId, 'real')).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringContaining('identity'),
  })
  const notices = await database.db.selectFrom('notices').selectAll().where('user_id', '=', userId).execute()
  expect(notices.map((notice) => notice.title)).toContain('Automatic trades stopped')
})

test('too low a balance skips signals for ten minutes; a percentage stake follows the balance to its cap', async () => {
  const poor = await automatic.running({ stake: 9_999, loss_a_day: 20_000, loss_in_all: 20_000 })
  await market.submit(poor, { amount: 5_000, duration: 3_600 })
  await automatic.frame(1_000)
  const share = await automatic.running({ stake: 400, stake_percent: 5, loss_a_day: 500, loss_in_all: 500 })
  await automatic.minute()
  const { balance } = await database.db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountOf(share, 'demo'))
    .executeTakeFirstOrThrow()
  const [order] = await automatic.orders(share)
  const before = balance + order!.stake
  expect(order!.stake).toBe(before / 20n < 40_000n ? before / 20n : 40_000n)
  expect(await automatic.orders(poor)).toMatchObject([{ status: 'Skipped', reason: 'balance' }])
  const { idle } = await automatic.now(poor)
  expect(idle?.reason).toBe('balance')
  expect(Date.parse(idle!.until) - market.clock.now()).toBeLessThanOrEqual(600_000)
  await automatic.turnOff(poor, share)
})

test("doesn't trade for a trader with a sign-in lock, who couldn't stop it", async () => {
  const userId = await automatic.running()
  await database.db
    .updateTable('users')
    .set({ sign_in_locked_at: new Date(), sign_in_lock_reason: 'Under review.' })
    .where('id', '=', userId)
    .execute()
  await automatic.minute()
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Skipped', reason: 'locked' }])
  expect((await automatic.now(userId)).idle?.reason).toBe('locked')
  await automatic.turnOff(userId)
})

test('does not follow a new version of a strategy until its followers start again', async () => {
  const userId = await automatic.running()
  const current = await automatic.running()
  await database.db
    .updateTable('followed_strategies')
    .set({ version: 99 })
    .where('account_id', '=', accountOf(userId, 'demo'))
    .execute()
  await stopOutdated(automatic.deps)
  await stopOutdated(automatic.deps)
  expect(await automatic.now(userId)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringContaining('new version'),
  })
  expect((await automatic.now(current)).state).toBe('Running')
  const notices = await database.db.selectFrom('notices').select('title').where('user_id', '=', userId).execute()
  expect(notices).toHaveLength(1)
  expect((await automatic.start(userId)).state).toBe('Running')
  await automatic.turnOff(userId, current)
})

test('another worker trades a fresh reservation whose worker died, once', async () => {
  const userId = await automatic.running()
  await automatic.toNextClose()
  const dead = automatic.anotherFollower({ trading: { open: () => Promise.reject(new Error('killed')) } })
  await dead.round()
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Reserved' }])
  await automatic.frame(1_100)
  const [a, b] = [automatic.anotherFollower(), automatic.anotherFollower()]
  await Promise.all([a.round(), b.round(), automatic.follower.round()])
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Traded' }])
  await automatic.turnOff(userId)
})

test('skips an old reservation as stale, and rejects its trade even if a worker wakes up late', async () => {
  const userId = await automatic.running()
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
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Skipped', reason: 'stale', trade_id: null }])
  await expect(late!(), 'given up').rejects.toMatchObject({ code: '23514' })
  await automatic.turnOff(userId)
})

test('stopping cancels a reservation immediately', async () => {
  const userId = await automatic.running()
  await automatic.toNextClose()
  const slow = automatic.anotherFollower({
    trading: {
      async open(command) {
        await automatic.turnOff(userId)
        return market.trading.open(command)
      },
    },
  })
  await slow.round()
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Skipped', reason: 'ended' }])
})

test('the database rejects a second open trade, a used slot, changing a final order, and a forged automatic trade', async () => {
  const userId = await automatic.running()
  await automatic.minute()
  const accountId = accountOf(userId, 'demo')
  const [order] = await automatic.orders(userId)
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
  await automatic.turnOff(userId)
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
    const kind = 'strategy-restarts'
    const id = await insertProposal(tx, { kind, subject: strategy, reason: 'Reviewed.', operatorId: one!.id })
    await decideProposal(tx, { kind, id: id! }, { status: 'Approved' }, two!.id)
    await switchOn(tx, strategy)
  })

test('a strategy that operators switched off is not followed and cannot be started', async () => {
  const userId = await automatic.running()
  await inTransaction(database.db, (tx) => switchOff(tx, ['trend'], 'Under review.'))
  await automatic.minute()
  expect(await automatic.orders(userId)).toEqual([])
  expect((await automatic.now(userId)).switched_off).toEqual([{ strategy: 'trend', why: 'Under review.' }])
  const other = await market.trader()
  await automatic.save(other)
  await expect(automatic.start(other)).rejects.toThrow(/switched off/)
  // Of several strategies, the others are followed.
  const several = await automatic.running({ strategies: BOTH.toReversed() })
  await automatic.minute()
  expect(await automatic.orders(several)).toMatchObject([{ status: 'Traded', stake: 2_500n }])
  await automatic.turnOff(several)
  await expect(inTransaction(database.db, (tx) => switchOn(tx, 'trend'))).rejects.toThrow(/two operators/)
  await switchOnByTwo('trend')
  expect((await automatic.now(userId)).switched_off).toEqual([])
  await automatic.minute()
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Traded' }])
  await automatic.turnOff(userId)
})

test('after midnight each account with trades receives one summary', async () => {
  const userId = await automatic.running({ stake: 10 })
  await automatic.minute(60_000)
  await automatic.settleAt(61_000)
  await automatic.follower.round()
  await automatic.turnOff(userId)
  const day = 86_400_000
  await automatic.frame(day - (market.clock.now() % day) + 60_000)
  const next = await automatic.running()
  await automatic.toNextClose()
  await automatic.minute()
  await market.settled()
  await judgeDue(database.db, market.prices.tape, market.prices.instruments)
  const [measured] = (await automatic.now(userId)).measured
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

  expect(measured).toMatch(/^Measured .* over \d+ signals; you need [\d.]+% to break even$/)
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
  await automatic.turnOff(next)
})

test('every invariant holds after these tests', async () => {
  const client = await connectTo(database.superUrl)
  for (const check of automaticChecks) expect((await client.query(check.sql)).rows, check.says).toEqual([])
  await client.end()
  expect(await market.broken()).toEqual([])
})
