import { randomBytes } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { judgeCapital } from '#ops/doctor/database.ts'
import { capitalOf, graceUntil } from '#server/ledger/index.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { knownMigrations, migrate } from '#server/platform/database/migrate.ts'
import { withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'
import { lastFigures } from '#server/risk/index.ts'
import { operator } from '#tests/support/people/desk.ts'
import { data } from '#tests/support/replies.ts'
import { ORDER, startWholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const DAY_MS = 86_400_000
/** The engine counts what the house can lose every second, less often on a busy machine. */
const SOON = { timeout: 60_000, interval: 500 }
/** A production installation whose prices come from the simulation, so that the test needs no exchange. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://trade.example',
  SMTP_URL: 'smtp://127.0.0.1:9',
  FEED: 'simulation',
  REAL_TRADES_ON_TEST_PRICES: 'on',
  PUBLIC_TEST_INSTALLATION: 'on',
}

/** Returns a database of the version before house capital, and what upgrades it to this one. */
async function formerDatabase() {
  const name = `test_${randomBytes(8).toString('hex')}`
  const [superUrl, ownerUrl, appUrl] = [inject('superUrl'), inject('ownerUrl'), inject('appUrl')].map((url) =>
    withDatabase(url, name),
  ) as [string, string, string]
  const admin = await connectTo(inject('superUrl'))
  await admin.query(`create database ${name} owner cleartick_owner`)
  await migrate(ownerUrl, { count: knownMigrations().indexOf('0124_house_capital') })
  const client = await connectTo(superUrl)
  const database = openDatabase(appUrl, { max: 5, name: 'test', log: createLog('error') })
  const drop = async () => {
    await database.close()
    await client.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
  return { database: { ...database, appUrl, ownerUrl, superUrl, drop }, client }
}

/** A trade of the former version, without the rows that belong to it. */
const trade = (id: number, mode: 'real' | 'demo', status: 'Pending' | 'Won') => `
  set session_replication_role = replica;
  insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time, status${status === 'Won' ? ', entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq, settled_at, payout, outcome_reason' : ''})
  select ${id}, ${mode === 'real' ? 2 : 3}, '${mode}', 3, 1, 3000, 'Buy', '75/3', 75, 100, 60, 0, 60000, '${status}'${status === 'Won' ? ", 1, 1, 1, 2, 59000, 2, now(), 175, ''" : ''};
  set session_replication_role = origin`

const doctorSays = async (db: Db) =>
  judgeCapital((await capitalOf(db, { production: true })).capital, await graceUntil(db), Date.now())

test('an installation without a settled real trade needs capital at once', async () => {
  const { database, client } = await formerDatabase()
  onTestFinished(() => database.drop())
  await client.query(trade(1, 'demo', 'Won'))
  await client.query(trade(2, 'real', 'Pending'))
  await migrate(database.ownerUrl)
  expect(await graceUntil(database.db)).toBeUndefined()
})

test('an upgraded installation trades on with a warning for 30 days, then needs capital', async () => {
  const { database, client } = await formerDatabase()
  await client.query(trade(1, 'real', 'Won'))
  await migrate(database.ownerUrl)
  const until = (await graceUntil(database.db))!
  expect(Math.abs(until.getTime() - Date.now() - 30 * DAY_MS)).toBeLessThan(60_000)
  await client.query(
    `set session_replication_role = replica; delete from trades; set session_replication_role = origin`,
  )
  const app = await startWholeApp(PRODUCTION, { database })
  onTestFinished(() => app.stop())
  const trader = await app.trader()
  await app.verify(trader)
  await app.fund(trader, 1_000)
  const admin = await operator(app, ['admin'])
  const order = { ...ORDER, mode: 'real', trade_mode: 'Buy', strike_rate: '75/3', amount: 10, duration: 300 }
  const submit = () => app.send('POST', '/api/trading/submit', { token: trader.token, body: order })
  const risk = async () => (await lastFigures(app.db))?.figures
  /** Lets the days pass: nothing else reads when they began. */
  const pass = (days: number) => client.query(`update capital_grace set until = until - interval '${days} days'`)

  const accepted = async () => (await submit()).status
  await expect.poll(accepted, SOON).toBe(200)
  const shown = async () => data<{ risk: { grace_until: string | null } }>(await admin.ask('GET', '/business')).risk
  expect((await risk())!).toMatchObject({ capital: 0, bound: null, graceUntil: expect.any(String) })
  expect(await shown()).toMatchObject({ grace_until: until.toISOString() })
  expect(await doctorSays(app.db)).toMatchObject({ state: 'warning' })

  await pass(29)
  await expect.poll(async () => (await risk())?.graceUntil, SOON).toBe((await graceUntil(app.db))!.toISOString())
  expect(await accepted()).toBe(200)

  await pass(1)
  await expect.poll(accepted, SOON).not.toBe(200)
  const { status, json } = await submit()
  expect([status, json?.code]).toEqual([422, 'price_unavailable'])
  expect(json?.message).toBe("Real trading isn't open right now. You can still trade on demo.")
  expect(await doctorSays(app.db)).toMatchObject({ state: 'problem' })
  const demo = await app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...order, mode: 'demo' } })
  expect(demo.status).toBe(200)
})
