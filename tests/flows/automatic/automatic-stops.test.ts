import { expect, test } from 'vitest'
import { halt } from '#server/automatic/automation.ts'
import { automaticChecks } from '#server/invariants/index.ts'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
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

test('every invariant holds after these tests', async () => {
  const client = await connectTo(database.superUrl)
  for (const check of automaticChecks) expect((await client.query(check.sql)).rows, check.says).toEqual([])
  await client.end()
  expect(await market.broken()).toEqual([])
})
