import { beforeAll, describe, expect, test } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { SALE_RULE, saleValue } from '#kernel/sale-value.ts'
import { DAY_MS } from '#kernel/time.ts'
import { halt } from '#server/automatic/automation.ts'
import { sendSummaries } from '#server/automatic/summary.ts'
import { automaticChecks } from '#server/invariants/checks/automatic.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { newestMails } from '#server/platform/mail/outbox.ts'
import { variancesAt } from '#server/prices/index.ts'
import { automaticOfFile } from '#tests/support/people/automatic.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const { database, market, automatic } = await automaticOfFile()

const titlesOf = async (userId: bigint) =>
  (await database.db.selectFrom('notices').select('title').where('user_id', '=', userId).execute()).map(
    ({ title }) => title,
  )

test('stops after losses in a row, daily losses and total losses', async () => {
  const inRow = await automatic.running({ losses_in_row: 1, loss_a_day: 500, loss_in_all: 500 })
  const aDay = await automatic.running({ stake: 10, loss_a_day: 15, loss_in_all: 500 })
  const inAll = await automatic.running({ stake: 10, loss_a_day: 15, loss_in_all: 15 })
  await automatic.minute(60_000)
  // Makes Buy trades lose.
  await automatic.settleAt(59_000)
  await automatic.follower.round()
  // The loss itself stops it; the others depend on the next stake.
  expect(await automatic.now(inRow)).toMatchObject({
    state: 'Stopped',
    stop_reason: 'Stopped after 1 loss in a row. You can start again at any time; losses then count from zero.',
    total: { lost: 1, result: -10, losses_in_row: 1 },
  })
  for (const userId of [aDay, inAll]) expect((await automatic.now(userId)).state).toBe('Running')
  await automatic.minute(59_000)
  expect(await automatic.now(aDay)).toMatchObject({
    state: 'Running',
    idle: { reason: 'stop' },
    today: { result: -10 },
  })
  expect(await automatic.now(inAll)).toMatchObject({ state: 'Stopped' })
  expect(await automatic.orders(inRow)).toMatchObject([{ status: 'Traded', stopped: true }])
  for (const userId of [aDay, inAll])
    expect(await automatic.orders(userId)).toMatchObject([
      { status: 'Traded', stopped: false },
      { status: 'Skipped', reason: 'stop', stopped: false },
    ])
  for (const userId of [inRow, aDay, inAll]) expect(await titlesOf(userId)).toHaveLength(1)
  // Counting starts at zero after a restart.
  await automatic.start(inRow)
  expect(await automatic.now(inRow)).toMatchObject({ state: 'Running', total: { trades: 0, losses_in_row: 0 } })
  await automatic.turnOff(inRow, aDay)
})

/** Trades one signal with Buy, and lets it end 10 % higher or lower. */
async function trade(outcome: 'Won' | 'Lost'): Promise<void> {
  await automatic.minute(60_000)
  await automatic.settleAt(outcome === 'Won' ? 66_000 : 54_000)
  await automatic.follower.round()
}

/** Trades one signal with Buy, and sells the trade of `userId` a quarter of a minute later. */
async function tradeAndSell(userId: bigint, outcome: 'loss' | 'gain' | 'stake') {
  await automatic.minute(60_000)
  await automatic.frame(15_000, 60_000)
  const [order] = (await automatic.orders(userId)).slice(-1)
  const tradeId = publicId(order!.trade_id!)
  await market.sell(userId, tradeId, 0.01)
  await automatic.frame(1_000, outcome === 'stake' ? await priceOfStake(tradeId) : outcome === 'gain' ? 63_000 : 59_700)
  const { payout, tick_time } = await market.decided(tradeId)
  await automatic.follower.round()
  return { stake: order!.stake, payout: payout!, soldAt: tick_time! }
}

/** Returns the price at which a trade sells for its stake in a second from now. */
async function priceOfStake(tradeId: string): Promise<number> {
  const trade = await market.trade(tradeId)
  const at = market.clock.now() + 1_000
  const variance = (await variancesAt(database.db, at))!.of.get('BTCUSDT')!
  const terms = {
    ...{ rule: SALE_RULE, side: trade.side, tradeTime: Number(trade.trade_time), endTime: Number(trade.end_time) },
    payout: trade.stake + (trade.stake * BigInt(trade.percent)) / 100n,
    entry: 6_000_000n,
  }
  let [low, high] = [5_900_000n, 6_100_000n]
  while (low < high) {
    const middle = (low + high) / 2n
    if (saleValue(terms, middle, at, variance) < trade.stake) low = middle + 1n
    else high = middle
  }
  return Number(low) / 100
}
const pausesOf = async (userId: bigint) => (await automatic.orders(userId)).map((order) => order.paused_until !== null)
const textsOf = async (userId: bigint) =>
  (await database.db.selectFrom('notices').select(['title', 'text']).where('user_id', '=', userId).execute()).map(
    ({ title, text }) => `${title}: ${text}`,
  )
const stoppedOf = async (userId: bigint) => (await automatic.orders(userId)).map(({ stopped }) => stopped)

test('those who stop at once are each notified, with their own limits', async () => {
  const inRow = [await automatic.running({ losses_in_row: 1 }), await automatic.running({ losses_in_row: 1 })]
  const most = [15, 16, 15]
  const inAll: bigint[] = []
  for (const loss of most) inAll.push(await automatic.running({ stake: 10, loss_a_day: loss, loss_in_all: loss }))
  await trade('Lost')
  await automatic.minute()
  const textsOf = async (userId: bigint) =>
    (await database.db.selectFrom('notices').select('text').where('user_id', '=', userId).execute()).map(
      ({ text }) => text,
    )
  for (const userId of inRow) expect(await textsOf(userId)).toEqual([expect.stringMatching(/^Stopped after 1 loss /)])
  for (const [i, userId] of inAll.entries())
    expect(await textsOf(userId)).toEqual([expect.stringContaining(`over $${most[i]}.00, your maximum total loss`)])
})

test('a win between losses starts the row again', async () => {
  const userId = await automatic.running({ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
  for (const outcome of ['Lost', 'Won', 'Lost'] as const) await trade(outcome)
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { lost: 2, losses_in_row: 1 } })
  await trade('Lost')
  expect(await automatic.now(userId)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringMatching(/^Stopped after 2 losses in a row\./),
    total: { lost: 3, losses_in_row: 2 },
  })
  expect(await stoppedOf(userId)).toEqual([false, false, false, true])
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

describe('trades that are sold', () => {
  // Symbols with half an hour of prices are for sale; these move much, so that a trade that is behind is worth something.
  beforeAll(async () => {
    for (let minute = 0; minute < 32; minute++) await automatic.toNextClose(minute % 2 ? 60_000 : 61_500)
  })

  test('count as lost below their stake, and stop after losses in a row', async () => {
    const userId = await automatic.running({ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
    const { payout, stake } = await tradeAndSell(userId, 'loss')
    expect(payout).toBeGreaterThan(0n)
    expect(payout).toBeLessThan(stake)
    expect(await automatic.now(userId)).toMatchObject({
      state: 'Running',
      today: { won: 0, lost: 0, sold: 1 },
      total: { won: 0, lost: 0, sold: 1, losses_in_row: 1, result: Number(payout - stake) / 100 },
    })
    await tradeAndSell(userId, 'loss')
    expect(await automatic.now(userId)).toMatchObject({
      state: 'Stopped',
      stop_reason: expect.stringMatching(/^Stopped after 2 losses in a row\./),
      total: { lost: 0, sold: 2, losses_in_row: 2 },
    })
    expect(await stoppedOf(userId)).toEqual([false, true])
    expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
  })

  test.each(['gain', 'stake'] as const)('end a row of losses when they are sold for a %s', async (outcome) => {
    const userId = await automatic.running({ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500, stake: 1 })
    await tradeAndSell(userId, 'loss')
    const { payout, stake } = await tradeAndSell(userId, outcome)
    if (outcome === 'stake') expect(payout).toBe(stake)
    else expect(payout).toBeGreaterThan(stake)
    expect(await automatic.now(userId)).toMatchObject({
      state: 'Running',
      total: { won: 0, lost: 0, sold: 2, losses_in_row: 0 },
    })
    await tradeAndSell(userId, 'loss')
    expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { losses_in_row: 1 } })
    expect(await stoppedOf(userId)).toEqual([false, false, false])
    await automatic.turnOff(userId)
  })

  test('count before a pause: the loss after them begins it', async () => {
    const userId = await automatic.running({
      ...{ pause_losses: 2, pause_minutes: 5, losses_in_row: null, loss_a_day: 500, loss_in_all: 500 },
    })
    await tradeAndSell(userId, 'loss')
    await trade('Lost')
    expect(await pausesOf(userId)).toEqual([false, true])
    expect(await automatic.now(userId)).toMatchObject({ idle: { reason: 'pause' }, total: { lost: 1, sold: 1 } })
    await automatic.turnOff(userId)
  })

  test('begin a pause when they are sold below their stake, counted from the sale', async () => {
    const userId = await automatic.running({
      ...{ pause_losses: 2, pause_minutes: 60, losses_in_row: null, loss_a_day: 500, loss_in_all: 500 },
    })
    await tradeAndSell(userId, 'loss')
    const { soldAt } = await tradeAndSell(userId, 'loss')
    const [, second] = await automatic.orders(userId)
    expect(await pausesOf(userId)).toEqual([false, true])
    expect(second).toMatchObject({ paused_until: soldAt + BigInt(IDLE_MS), stopped: false })
    const until = new Date(Number(soldAt) + IDLE_MS).toISOString()
    expect(await automatic.now(userId)).toMatchObject({ state: 'Running', idle: { reason: 'pause', until } })
    await automatic.turnOff(userId)
  })

  test('are neither won, lost nor returned in the summary of the day', async () => {
    const userId = await automatic.running({ losses_in_row: 5, loss_a_day: 500, loss_in_all: 500 })
    const sums = [await tradeAndSell(userId, 'gain'), await tradeAndSell(userId, 'loss')]
    await trade('Won')
    await automatic.turnOff(userId)
    const { result } = (await automatic.now(userId)).today
    expect(Math.round(result * 100)).toBe(sums.reduce((sum, { payout, stake }) => sum + Number(payout - stake), 750))
    await automatic.frame(DAY_MS - (market.clock.now() % DAY_MS) + 60_000)
    await automatic.toNextClose()
    expect(await sendSummaries(automatic.deps)).toBeGreaterThan(0)
    const said = (await textsOf(userId)).at(-1)!
    expect(said).toContain(': 3 trades on your demo account: 1 won, 0 lost, 2 sold early. Result: +$')
    const [mail] = (await newestMails(database.db, `user-${userId}@example.org`, 10)).filter(({ subject }) =>
      said.startsWith(subject),
    )
    expect(mail!.text).toContain('Won: 1\nLost: 0\nSold early: 2\nDraw or void, stake returned: 0\n')
  })
})

test('after a new start, only losses of trades that follow later signals count', async () => {
  const userId = await automatic.running({ losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
  await trade('Lost')
  await trade('Lost')
  expect((await automatic.now(userId)).state).toBe('Stopped')
  await automatic.start(userId)
  await trade('Lost')
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { losses_in_row: 1 } })
  expect(await stoppedOf(userId)).toEqual([false, true, false])

  // A trade that was open at the start belongs to the time before it.
  const impatient = await automatic.running({ losses_in_row: 1, loss_a_day: 500, loss_in_all: 500 })
  await automatic.minute(60_000)
  await automatic.turnOff(impatient)
  await automatic.start(impatient)
  await automatic.settleAt(54_000)
  await automatic.follower.round()
  expect(await automatic.now(impatient)).toMatchObject({
    state: 'Running',
    today: { lost: 1 },
    total: { losses_in_row: 0 },
  })
  expect(await stoppedOf(impatient)).toEqual([false])
  await automatic.turnOff(userId, impatient)
})

test('a loss stops paused automatic trades, and leaves those alone that are off or stopped', async () => {
  const [paused, off, outdated] = [
    await automatic.running({ losses_in_row: 1 }),
    await automatic.running({ losses_in_row: 1 }),
    await automatic.running({ losses_in_row: 1 }),
  ]
  await automatic.minute(60_000)
  await halt(automatic.deps, { userId: paused, mode: 'demo', to: 'Paused' })
  await automatic.turnOff(off)
  await database.db
    .updateTable('automations')
    .set({ state: 'Stopped', stop_reason: 'Another reason.' })
    .where('account_id', '=', accountOf(outdated, 'demo'))
    .execute()
  await automatic.settleAt(54_000)
  await automatic.follower.round()
  expect(await automatic.now(paused)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringMatching(/^Stopped after 1 loss in a row\./),
  })
  await expect(await titlesOf(paused)).toEqual(['Automatic trades stopped'])
  expect(await automatic.now(off)).toMatchObject({ state: 'Off', total: { lost: 1 } })
  expect(await automatic.now(outdated)).toMatchObject({
    state: 'Stopped',
    stop_reason: 'Another reason.',
    total: { lost: 1 },
  })
  for (const userId of [off, outdated]) {
    expect(await titlesOf(userId)).toEqual([])
    expect(await stoppedOf(userId)).toEqual([false])
  }
})

test('does not resume with as many losses in a row as the changed settings allow', async () => {
  const userId = await automatic.running({ losses_in_row: 3, loss_a_day: 500, loss_in_all: 500 })
  await trade('Lost')
  await trade('Lost')
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Paused' })
  await automatic.save(userId, { losses_in_row: 2, loss_a_day: 500, loss_in_all: 500 })
  await expect(automatic.start(userId)).rejects.toThrow(/^You have 2 losses in a row, and your settings stop at 2\./)
  expect((await automatic.now(userId)).state).toBe('Paused')
  await automatic.save(userId, { losses_in_row: 3, loss_a_day: 500, loss_in_all: 500 })
  expect(await automatic.start(userId)).toMatchObject({ state: 'Running', total: { losses_in_row: 2 } })
  await automatic.turnOff(userId)
})

test('a loss that two rounds find at once stops once', async () => {
  const userId = await automatic.running({ losses_in_row: 1 })
  await automatic.minute(60_000)
  await automatic.settleAt(54_000)
  const both = () => Promise.all([1, 2].map(() => automatic.anotherFollower().round()))
  await inTransaction(database.db, async (tx) => {
    await sql`select from automations where account_id = ${accountOf(userId, 'demo')} for update`.execute(tx)
    // They wait for nobody, and leave the loss to later rounds.
    await both()
    expect(await stoppedOf(userId)).toEqual([false])
    expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { lost: 0 } })
  })
  await both()
  expect((await automatic.now(userId)).state).toBe('Stopped')
  expect(await stoppedOf(userId)).toEqual([true])
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

test('a loss that is found while the trader stops leaves automatic trades off', async () => {
  const userId = await automatic.running({ losses_in_row: 1 })
  await automatic.minute(60_000)
  await automatic.settleAt(54_000)
  await inTransaction(database.db, async (tx) => {
    await tx
      .updateTable('automations')
      .set({ state: 'Off' })
      .where('account_id', '=', accountOf(userId, 'demo'))
      .execute()
    await automatic.follower.round()
  })
  await automatic.follower.round()
  expect(await automatic.now(userId)).toMatchObject({ state: 'Off', total: { lost: 1 } })
  expect(await stoppedOf(userId)).toEqual([false])
  expect(await titlesOf(userId)).toEqual([])
})

test('a round that dies before it has notified the trader leaves the loss to the next one', async () => {
  const userId = await automatic.running({ losses_in_row: 1 })
  await automatic.minute(60_000)
  await automatic.settleAt(54_000)
  const dying = automatic.anotherFollower({
    notices: { ...automatic.deps.notices, writeToAll: () => Promise.reject(new Error('killed')) },
  })
  await expect(dying.round()).rejects.toThrow('killed')
  expect((await automatic.now(userId)).state).toBe('Running')
  expect(await automatic.orders(userId)).toMatchObject([{ payout: null, stopped: false }])
  await automatic.follower.round()
  expect((await automatic.now(userId)).state).toBe('Stopped')
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

test('a loss that an engine of the previous version has copied stops at the next signal', async () => {
  const userId = await automatic.running({ losses_in_row: 1 })
  await automatic.minute(60_000)
  await automatic.settleAt(54_000)
  await sql`
    update automatic_orders o set payout = t.payout from trades t
    where o.status = 'Traded' and o.payout is null and t.id = o.trade_id and t.status <> 'Pending'`.execute(database.db)
  await automatic.follower.round()
  expect((await automatic.now(userId)).state).toBe('Running')
  await automatic.minute()
  expect(await automatic.now(userId)).toMatchObject({
    state: 'Stopped',
    stop_reason: expect.stringMatching(/^Stopped after 1 loss in a row\./),
  })
  expect(await automatic.orders(userId)).toMatchObject([
    { status: 'Traded', stopped: false },
    { status: 'Skipped', reason: 'stop' },
  ])
  expect(await titlesOf(userId)).toEqual(['Automatic trades stopped'])
})

const IDLE_MS = 60 * 60_000

test('the take-profit in all stops with the profit that reaches it, and the next start counts from zero', async () => {
  // A Buy wins 75% of the stake.
  const userId = await automatic.running({ profit_in_all: 15, stake: 10 })
  await trade('Won')
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { result: 7.5 } })
  await trade('Won')
  expect(await automatic.now(userId)).toMatchObject({
    state: 'Stopped',
    stop_reason:
      'Stopped because your profit since the start reached your take-profit. You can start again at any time; results then count from zero.',
    total: { result: 15 },
  })
  expect(await stoppedOf(userId)).toEqual([false, true])
  expect(await textsOf(userId)).toEqual([
    'Automatic trades stopped: Your profit since the start reached $15.00, your take-profit. You can start again at any time; results then count from zero. (demo account)',
  ])
  await automatic.start(userId)
  await trade('Won')
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { result: 7.5 } })
  await automatic.turnOff(userId)
})

test('the take-profit of a day waits for the next UTC day', async () => {
  const userId = await automatic.running({ profit_a_day: 5, stake: 10 })
  await trade('Won')
  const now = await automatic.now(userId)
  expect(now).toMatchObject({ state: 'Running', today: { result: 7.5 }, idle: { reason: 'profit' } })
  expect(now.idle?.until).toBe(now.today.resets_at)
  await trade('Won')
  expect(await automatic.orders(userId), 'no more trades').toHaveLength(1)
  expect(await textsOf(userId)).toEqual([
    "Automatic trades are done for today: Today's profit reached $5.00, your take-profit a day. They continue tomorrow (UTC). (demo account)",
  ])
  // Neither a new start nor a pause begins the day again.
  await automatic.turnOff(userId)
  await automatic.start(userId)
  await automatic.minute()
  expect(await automatic.orders(userId)).toMatchObject([{ status: 'Traded' }, { status: 'Skipped', reason: 'profit' }])
  await automatic.frame(Date.parse(now.today.resets_at) - market.clock.now() + 60_000)
  await automatic.toNextClose()
  await trade('Won')
  expect((await automatic.orders(userId)).map(({ status }) => status)).toEqual(['Traded', 'Skipped', 'Traded'])
  await automatic.turnOff(userId)
})

test('losses in a row pause until a time that the tape reaches by itself, and then count from zero', async () => {
  const userId = await automatic.running({
    ...{ pause_losses: 2, pause_minutes: 60, losses_in_row: 4, loss_a_day: 500, loss_in_all: 500 },
    time_zone: 'Asia/Kathmandu',
  })
  await trade('Lost')
  expect(await pausesOf(userId)).toEqual([false])
  await trade('Lost')
  const [, second] = await automatic.orders(userId)
  const { end_time } = await database.db
    .selectFrom('trades')
    .select('end_time')
    .where('id', '=', second!.trade_id!)
    .executeTakeFirstOrThrow()
  expect(second).toMatchObject({ paused_until: end_time + BigInt(IDLE_MS), stopped: false })
  const until = new Date(Number(end_time) + IDLE_MS).toISOString()
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', idle: { reason: 'pause', until } })
  // Kathmandu is 5:45 ahead.
  const local = new Date(Number(end_time) + IDLE_MS + 345 * 60_000).toISOString().slice(0, 16).replace('T', ' ')
  expect(await textsOf(userId)).toEqual([
    `Automatic trades are pausing: 2 losses in a row: no signal is traded until ${local} (Asia/Kathmandu). They continue by themselves. (demo account)`,
  ])

  await automatic.minute()
  expect(await automatic.orders(userId), 'signals are skipped').toHaveLength(2)
  // Pausing by hand, saving and resuming don't end it; another worker knows it.
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Paused' })
  await automatic.save(userId, {
    ...{ pause_losses: 2, pause_minutes: 60, losses_in_row: 4, loss_a_day: 500, loss_in_all: 500 },
  })
  await automatic.start(userId)
  await automatic.toNextClose()
  await automatic.anotherFollower().round()
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', idle: { reason: 'pause', until } })
  expect(await automatic.orders(userId)).toHaveLength(2)

  await automatic.frame(Number(end_time) + IDLE_MS - market.clock.now())
  await automatic.toNextClose()
  await trade('Lost')
  expect(await pausesOf(userId), 'the count began again').toEqual([false, true, false])
  expect(await automatic.now(userId)).toMatchObject({ state: 'Running', total: { losses_in_row: 3 } })
  // The stop counts on over the pause.
  await trade('Lost')
  expect(await automatic.now(userId)).toMatchObject({ state: 'Stopped', total: { losses_in_row: 4 } })
  expect(await stoppedOf(userId)).toEqual([false, false, false, true])
  expect(await pausesOf(userId)).toEqual([false, true, false, false])
})

test('a win, and a new start, begin the count of a pause again', async () => {
  const userId = await automatic.running({
    ...{ pause_losses: 2, pause_minutes: 5, losses_in_row: null, loss_a_day: 500, loss_in_all: 500 },
  })
  for (const outcome of ['Lost', 'Won', 'Lost'] as const) await trade(outcome)
  expect(await pausesOf(userId)).toEqual([false, false, false])
  await automatic.turnOff(userId)
  await automatic.start(userId)
  await trade('Lost')
  expect(await pausesOf(userId)).toEqual([false, false, false, false])
  await trade('Lost')
  expect((await automatic.now(userId)).idle?.reason).toBe('pause')
  // Only a new start ends a pause early.
  await automatic.turnOff(userId)
  await automatic.start(userId)
  expect((await automatic.now(userId)).idle).toBeUndefined()
  await automatic.minute(60_000)
  expect((await automatic.orders(userId)).at(-1)).toMatchObject({ status: 'Traded', payout: null })
  await automatic.turnOff(userId)
})

test('paused automatic trades resume only below their take-profit', async () => {
  const userId = await automatic.running({ profit_in_all: 100, stake: 10 })
  await trade('Won')
  await halt(automatic.deps, { userId, mode: 'demo', to: 'Paused' })
  await automatic.save(userId, { profit_in_all: 5, stake: 10 })
  await expect(automatic.start(userId)).rejects.toThrow(
    'Your profit since the start has reached your take-profit of $5.00.',
  )
  await automatic.turnOff(userId)
  expect((await automatic.start(userId)).state).toBe('Running')
  await automatic.turnOff(userId)
})

test('hours follow the time zone, also over midnight', async () => {
  const { db } = database
  const zone = 'Asia/Kathmandu'
  const localHour = (time: number) => new Date(time + 345 * 60_000).getUTCHours()
  const hour = localHour(market.clock.now())
  const inside = await automatic.running({ time_zone: zone, from_hour: hour, to_hour: (hour + 20) % 24 || 24 })
  const outside = await automatic.running({ time_zone: zone, from_hour: (hour + 4) % 24, to_hour: hour || 24 })
  // An unknown zone trades nothing, and others still do.
  const unknown = await automatic.running()
  await db
    .updateTable('automations')
    .set({ time_zone: 'Mars/Base' })
    .where('account_id', '=', accountOf(unknown, 'demo'))
    .execute()
  await automatic.minute(60_000)
  expect(localHour(market.clock.now()), 'within the hour').toBe(hour)
  expect(await automatic.orders(inside)).toMatchObject([{ status: 'Traded' }])
  expect(await automatic.orders(outside)).toEqual([])
  expect(await automatic.orders(unknown)).toEqual([])
  await automatic.turnOff(inside, outside, unknown)
})

test.each([
  [{ from_hour: 9, to_hour: 9 }, 'must differ from the first hour'],
  [{ profit_a_day: 20, profit_in_all: 10 }, 'must be at least the profit a day'],
  [{ pause_losses: 2 }, 'must not be empty'],
  [{ pause_minutes: 5 }, 'must not be empty'],
  [{ pause_losses: 5, pause_minutes: 5, losses_in_row: 5 }, 'must be fewer than the losses in a row that stop'],
])('settings such as %o are refused', async (settings, message) => {
  const userId = await market.trader()
  await expect(automatic.save(userId, settings)).rejects.toThrow(message)
})

test('every invariant holds after these tests', async () => {
  const client = await connectTo(database.superUrl)
  for (const check of automaticChecks) expect((await client.query(check.sql)).rows, check.says).toEqual([])
  await client.end()
  expect(await market.broken()).toEqual([])
})
