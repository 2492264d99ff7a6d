import { beforeEach, expect, test } from 'vitest'
import { ALERTS_MAX, GUEST_ALERTS_MAX } from '#contract/trading/alerts.ts'
import { must } from '#kernel/must.ts'
import { MINUTE_MS, startOf } from '#kernel/time.ts'
import { openTestAlerts } from '#tests/support/people/alerts.ts'
import { type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { holders } from '#tests/support/trades/holders.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { inTransaction } from '../platform/database/db.ts'
import { removeAlert } from './arm.ts'
import { verifyAlerts } from './replay.ts'

let database: TestDatabase
let scene: Awaited<ReturnType<typeof openTestAlerts>>
const [ada, eve] = [1n, 2n]
beforeEach(async () => {
  database = await testDatabase()
  await inTransaction(database.db, async (tx) => {
    for (const user of [ada, eve]) await openUser(tx, user)
  })
  scene = await openTestAlerts(database)
  await scene.ticks('70000.00')
})

const firedOf = async (userId = ada) =>
  (await scene.alerts(userId)).flatMap(({ level, percent, fired }) => (fired ? [[level ?? percent, fired.price]] : []))
const noticesOf = async (userId = ada) =>
  await database.db
    .selectFrom('notices')
    .select(['kind', 'title', 'text', 'path'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()

test('fires once, at the first price at or beyond the level, whichever side it comes from', async () => {
  const engine = scene.engine()
  for (const level of ['70010', '70000.01', '69990', '69999.99', '70200']) await scene.make(ada, { level })
  await engine.round()
  await scene.ticks('70000.00', '70009.99')
  await engine.round()
  expect(await firedOf()).toEqual([['70000.01', '70009.99']])
  // It jumps over one level and down to another, exactly.
  await scene.ticks('70150.00', '69990.00', '70150.00')
  await engine.round()
  expect((await firedOf()).toSorted()).toEqual([
    ['69990.00', '69990.00'],
    ['69999.99', '69990.00'],
    ['70000.01', '70009.99'],
    ['70010.00', '70150.00'],
  ])
  expect((await noticesOf()).map(({ title }) => title).toSorted()).toEqual([
    'BTCUSDT fell to 69,990.00',
    'BTCUSDT fell to 69,999.99',
    'BTCUSDT rose to 70,000.01',
    'BTCUSDT rose to 70,010.00',
  ])
  expect(scene.notified).toHaveLength(4)
  expect((await noticesOf())[0]).toMatchObject({ kind: 'alert', path: '/user/alerts' })
})

test('a level that is the current price, or on the wrong side of it, is refused', async () => {
  for (const [body, says] of [
    [{ level: '70000' }, 'must differ from the current price, 70,000.00'],
    [{ level: '69999', direction: 'up' }, 'must be above the current price'],
    [{ level: '70001', direction: 'down' }, 'must be below the current price'],
    [{ level: '70001.005' }, 'must have at most 2 decimals'],
    [{ level: '99999999999999' }, 'must be a price'],
  ] as const)
    await expect(scene.make(ada, body)).rejects.toThrow(says)
  expect(await scene.alerts(ada)).toEqual([])
})

test('prices before an alert was armed never fire it, and those between arming and reading do', async () => {
  const engine = scene.engine()
  await engine.round()
  await scene.ticks('70500.00', '70000.00')
  await scene.make(ada, { level: '70400' })
  await scene.make(ada, { level: '69900' })
  await scene.ticks('69900.00', '70000.00')
  await engine.round()
  expect(await firedOf()).toEqual([['69900.00', '69900.00']])
})

test('moves count from the price when armed, within their minutes', async () => {
  const engine = scene.engine()
  await scene.make(ada, { kind: 'move', percent: 1, minutes: 5, direction: 'up' })
  await scene.make(ada, { kind: 'move', percent: 1, minutes: 5, direction: 'down' })
  await scene.make(ada, { kind: 'move', percent: 2, minutes: 5 })
  await engine.round()
  await scene.ticks('70699.99')
  await engine.round()
  expect(await firedOf()).toEqual([])
  await scene.ticks('70700.00')
  await engine.round()
  expect(await firedOf()).toEqual([[1, '70700.00']])
  // Six minutes later the price when armed no longer counts.
  for (let minute = 0; minute < 6; minute++) {
    scene.prices.clock.advance(60_000)
    await scene.ticks('70650.00')
  }
  await scene.ticks('69995.00', '71350.00')
  await engine.round()
  expect(await firedOf()).toEqual([[1, '70700.00']])
  await scene.ticks('71395.00')
  await engine.round()
  expect((await firedOf()).toSorted()).toEqual([
    [1, '70700.00'],
    [2, '71395.00'],
  ])
})

test('prices of another kind of source are no move, in one run and after a restart, and verify knows', async () => {
  let engine = scene.engine()
  const { feed, clock, tape } = scene.prices
  await scene.make(ada, { kind: 'move', percent: 1, minutes: 15 })
  await engine.round()
  clock.advance(60_000)
  await scene.ticks('70100.00')
  clock.advance(60_000)
  feed.kind = 'simulation'
  await scene.ticks('50000.00')
  const jump = must(tape.latest('BTCUSDT'))
  await scene.ticks('50100.00')
  await engine.round()
  expect(await firedOf()).toEqual([])
  // Its base and minutes are of the source before.
  for (let minute = 0; minute < 5; minute++) {
    scene.kill(engine)
    engine = scene.engine()
    await engine.round()
    clock.advance(60_000)
    await scene.ticks('50100.00')
    await engine.round()
  }
  expect(await firedOf()).toEqual([])
  await scene.ticks('50499.00', '50500.00')
  await engine.round()
  expect(await firedOf()).toEqual([[1, '50500.00']])
  expect(await verifyAlerts(database.db)).toEqual({ checked: 1, dropped: 0, broken: undefined })
  const fired = { fired_price: jump.price, fired_seq: BigInt(jump.seq), fired_ms: BigInt(jump.sourceMs) }
  await database.db.updateTable('alerts').set(fired).execute()
  expect((await verifyAlerts(database.db)).broken).toMatch(/fired by a move that was not far enough$/)
})

test('an indicator on hourly candles fires at the close of the hour, however late its candles are read', async () => {
  const HOUR_MS = 60 * MINUTE_MS
  const { clock, tape } = scene.prices
  const nextHour = async (price: string) => {
    clock.set(startOf(clock.now(), HOUR_MS) + HOUR_MS + MINUTE_MS)
    await scene.ticks(price)
  }
  const average = (level: number) => ({
    kind: 'indicator' as const,
    indicator: { id: 'sma', inputs: [2], output: 'value', interval: '1h' as const, level },
  })
  await expect(scene.make(ada, average(70_100))).rejects.toThrow('needs more closed candles')
  for (const price of ['70000.00', '70010.00', '70020.00']) await nextHour(price)
  await scene.make(ada, average(70_100))
  let engine = scene.engine()
  await engine.readCandles()
  await engine.round()
  await nextHour('70400.00')
  const last = must(tape.latest('BTCUSDT'))
  await engine.readCandles()
  await engine.round()
  expect(await scene.alerts(ada), 'the hour that crosses is not over').toMatchObject([{ base: '70020.00' }])
  // Its end is known, and its candles aren't read; the engine dies.
  await nextHour('70300.00')
  await engine.round()
  expect((await scene.alerts(ada))[0]?.fired).toBeUndefined()
  scene.kill(engine)
  engine = scene.engine()
  await engine.round()
  await engine.readCandles()
  await engine.round()
  expect(await scene.alerts(ada)).toMatchObject([{ fired: { price: '70400.00', value: 70_210 } }])
  const [row] = await database.db.selectFrom('alerts').select('fired_seq').execute()
  expect(Number(row?.fired_seq)).toBe(last.seq)
  expect((await noticesOf())[0]?.text).toContain('at the close of the 1h candle')
  expect(await verifyAlerts(database.db)).toEqual({ checked: 1, dropped: 0, broken: undefined })
})

test('an alert that someone else has locked holds back no other, and is judged again until it is free', async () => {
  let engine = scene.engine()
  for (const user of [ada, eve]) await scene.make(user, { level: '70010' })
  await engine.round()
  const holder = await holders(database).holding('select from alerts where user_id = $1 for update', [ada])
  await scene.ticks('70010.00')
  await engine.round()
  expect([await firedOf(ada), await firedOf(eve)]).toEqual([[], [['70010.00', '70010.00']]])
  await engine.round()
  // The tick isn't recorded as judged: the next engine fires it.
  scene.kill(engine)
  engine = scene.engine()
  await engine.round()
  await holder.query('rollback')
  await engine.round()
  expect(await firedOf(ada)).toEqual([['70010.00', '70010.00']])
  expect(await noticesOf(ada)).toHaveLength(1)
})

test('two engines that judge the same frames write each alert once, and the same frame twice changes nothing', async () => {
  const [one, two] = [scene.engine(), scene.engine()]
  for (let n = 1; n <= 20; n++) await scene.make(ada, { level: String(70_000 + n) })
  await Promise.all([one.round(), two.round()])
  await scene.ticks('70015.00')
  one.frame({ n: scene.prices.frames.length, t: 0, entries: [] })
  await Promise.all([one.round(), two.round(), one.round()])
  expect(await firedOf()).toHaveLength(15)
  expect(await noticesOf()).toHaveLength(15)
})

test('an engine that dies before the commit loses nothing: the next one reads the tape back', async () => {
  const dying = scene.engine({
    notices: {
      writeEach: async () => {
        throw new Error('killed')
      },
    },
  })
  await scene.make(ada, { level: '70100' })
  await scene.make(ada, { level: '70200' })
  await dying.round()
  await scene.ticks('70100.00', '70000.00')
  await expect(dying.round()).rejects.toThrow('killed')
  scene.kill(dying)
  // No engine judges this one at all.
  await scene.ticks('70200.00', '70000.00')
  expect(await firedOf()).toEqual([])
  const next = scene.engine()
  await next.round()
  expect((await firedOf()).toSorted()).toEqual([
    ['70100.00', '70100.00'],
    ['70200.00', '70200.00'],
  ])
  expect(await noticesOf()).toHaveLength(2)
})

test('what fell out of memory before it was judged is shown in the alert', async () => {
  await scene.make(ada, { level: '70100' })
  const from = new Date(scene.prices.clock.now()).toISOString()
  for (let n = 0; n < 4_200; n++) await scene.ticks('70000.00')
  const engine = scene.engine()
  await engine.round()
  const [alert] = await scene.alerts(ada)
  expect(alert).toMatchObject({ unchecked: { from } })
  expect(alert?.fired).toBeUndefined()
})

test('an alert that was changed meanwhile is not fired by its old terms', async () => {
  const engine = scene.engine()
  const { id } = await scene.make(ada, { level: '70100' })
  await engine.round()
  await scene.ticks('70100.00')
  const body = { kind: 'price', symbol: 'BTCUSDT', direction: 'either', level: '70300' }
  await scene.routes['PUT /alerts/:id']({ who: scene.who(ada), params: { id: BigInt(id) }, body } as never)
  await engine.round()
  expect(await firedOf()).toEqual([])
  await scene.ticks('70300.00')
  await engine.round()
  expect(await firedOf()).toEqual([['70300.00', '70300.00']])
  // Armed again it waits for the price to come back.
  await scene.ticks('70400.00')
  await scene.routes['POST /alerts/:id/arm']({ who: scene.who(ada), params: { id: BigInt(id) } } as never)
  await engine.round()
  expect(await scene.alerts(ada)).toMatchObject([{ rises: false, base: '70400.00' }])
  await scene.ticks('70350.00', '70299.00')
  await engine.round()
  expect(await firedOf()).toEqual([['70300.00', '70299.00']])
})

test('a deleted alert fires nobody, and other people have none of it', async () => {
  const engine = scene.engine()
  const { id } = await scene.make(ada, { level: '70100' })
  await engine.round()
  const asEve = { who: scene.who(eve), params: { id: BigInt(id) } }
  await expect(removeAlert(scene.deps, asEve.who, BigInt(id))).rejects.toMatchObject({ code: 'not_found' })
  await expect(scene.routes['POST /alerts/:id/arm'](asEve as never)).rejects.toMatchObject({ code: 'not_found' })
  expect(await scene.alerts(eve)).toEqual([])
  await removeAlert(scene.deps, scene.who(ada), BigInt(id))
  await scene.ticks('70200.00')
  await engine.round()
  expect([await scene.alerts(ada), await noticesOf()]).toEqual([[], []])
})

test('an account has at most its number of alerts, however many requests arrive together', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: ALERTS_MAX + 20 }, (_, n) => scene.make(ada, { level: String(80_000 + n) })),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(ALERTS_MAX)
  expect(await scene.alerts(ada)).toHaveLength(ALERTS_MAX)
  // The same alert again is none more; the place of a deleted one is free.
  const [{ id, level } = { id: '', level: '' }] = await scene.alerts(ada)
  expect(await scene.make(ada, { level })).toMatchObject({ id })
  await removeAlert(scene.deps, scene.who(ada), BigInt(id))
  await scene.make(ada, { level: '90000' })
  await expect(scene.make(ada, { level: '90001' })).rejects.toMatchObject({ code: 'limit_reached' })
  for (let n = 0; n < GUEST_ALERTS_MAX; n++) await scene.make(eve, { level: String(80_000 + n) }, true)
  await expect(scene.make(eve, { level: '90001' }, true)).rejects.toMatchObject({ code: 'limit_reached' })
})
