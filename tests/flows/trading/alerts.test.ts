import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Notice } from '#contract/messages/notices.ts'
import type { Alert } from '#contract/trading/alerts.ts'
import { verifyAlerts } from '#server/alerts/index.ts'
import { alertChecks } from '#server/invariants/checks/alerts.ts'
import { brokenRows } from '#server/invariants/index.ts'
import { inTransaction } from '#server/platform/database/db.ts'
import { openTestAlerts } from '#tests/support/people/alerts.ts'
import { sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'

const ada = 1n
let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

test('an alert set over the API fires while nobody looks, and its owner is notified once', async () => {
  const trader = await app.trader()
  const get = async <T>(path: string, of: Trader = trader) =>
    (await app.send('GET', `/api${path}`, { token: of.token })).json as { data: T }
  const { data: instruments } = await get<{ price?: string }[]>('/prices/instruments?symbols=BTCUSDT')
  const price = Number(instruments[0]?.price)
  for (const factor of [0.9999, 0.99999, 1.00001, 1.0001]) {
    const body = { kind: 'price', symbol: 'BTCUSDT', direction: 'either', level: (price * factor).toFixed(2) }
    expect((await app.send('POST', '/api/alerts', { token: trader.token, body })).status).toBe(200)
  }
  const fired = async () => (await get<Alert[]>('/alerts')).data.filter((alert) => alert.fired)
  await expect.poll(async () => (await fired()).length, { interval: 500 }).toBeGreaterThan(0)
  const [first] = (await fired()).toReversed()
  const notices = (await get<Notice[]>('/notices')).data.filter(({ kind }) => kind === 'alert')
  expect(new Set(notices.map(({ title }) => title)).size).toBe(notices.length)
  expect(notices.length).toBeGreaterThan(0)
  expect(
    first?.rises
      ? Number(first.fired?.price) >= Number(first.level)
      : Number(first?.fired?.price) <= Number(first?.level),
  ).toBe(true)
  expect(await app.broken()).toEqual([])
})

test('what fired is checked against the tape, the terms and the notification', async () => {
  const database = await testDatabase()
  await inTransaction(database.db, (tx) => openUser(tx, ada))
  const scene = await openTestAlerts(database)
  await scene.ticks('70000.00')
  const engine = scene.engine()
  await scene.make(ada, { level: '70100' })
  await scene.make(ada, { kind: 'move', percent: 0.2, minutes: 5 })
  const closes = { id: 'sma', inputs: [1], output: 'value', interval: '1m' as const, level: 70_050 }
  for (let minute = 0; minute < 3; minute++) {
    scene.prices.clock.advance(60_000)
    await scene.ticks('70000.00')
  }
  await scene.make(ada, { kind: 'indicator', direction: 'up', indicator: closes })
  await engine.round()
  await engine.readCandles()
  await scene.ticks('70050.00', '70120.00', '70150.00')
  scene.prices.clock.advance(60_000)
  await scene.ticks('69000.00')
  await engine.readCandles()
  await engine.round()
  const check = async () => {
    const { broken } = await verifyAlerts(database.db)
    const rows = await Promise.all(alertChecks.map((one) => brokenRows(database.db, one, 5)))
    return [broken, ...rows.flat()].filter(Boolean).length
  }
  expect(await verifyAlerts(database.db)).toEqual({ checked: 3, dropped: 0, broken: undefined })
  expect(await check()).toBe(0)
  // Each of these is found, and put back by the next one.
  const client = await connectTo(database.superUrl)
  for (const [change, back] of [
    ['fired_price = fired_price + 1', 'fired_price = fired_price - 1'],
    ['fired_seq = fired_seq + 1', 'fired_seq = fired_seq - 1'],
    ['notice_id = notice_id + 1000', 'notice_id = notice_id - 1000'],
    ["level = case kind when 'price' then level + 5000 end", "level = case kind when 'price' then level - 5000 end"],
    ['threshold = threshold + 1000', 'threshold = threshold - 1000'],
    ['basis_points = basis_points * 10', 'basis_points = basis_points / 10'],
  ]) {
    await client.query(`update alerts set ${change}`)
    expect(await check(), change).toBeGreaterThan(0)
    await client.query(`update alerts set ${back}`)
  }
  await client.end()
  expect(await check()).toBe(0)
})
