import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { recordRun } from '#server/platform/database/maintenance.ts'
import { createLog } from '#server/platform/process/log.ts'
import { listen } from '#tests/support/listen.ts'
import { scrape } from '#tests/support/measures/metrics.ts'
import { operator } from '#tests/support/people/desk.ts'
import { startWholeApp, type WholeApp } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp({
    METRICS_PORT: '0',
    METRICS_TOKEN: 'a-token-for-monitoring',
    SMTP_URL: 'smtp://127.0.0.1:1',
  })
})
afterAll(() => app.stop())

test('shows what surrounds the installation: its disk, the database server, and who fails at the door of the desk', async () => {
  const before = await scrape(app.monitor)
  expect(before.value('cleartick_disk_free_ratio')).toBeGreaterThan(0)
  expect(before.value('cleartick_disk_free_ratio')).toBeLessThanOrEqual(1)
  const connections = before.value('cleartick_database_server_connections')!
  expect(connections).toBeGreaterThan(1)
  expect(before.value('cleartick_database_server_connections_max')).toBeGreaterThan(connections)
  expect(before.value('cleartick_desk_sign_ins_failed')).toBe(0)
  const { email } = await operator(app, ['support'])
  const body = { email, password: 'wrong', code: '000000' }
  expect((await app.send('POST', '/api/desk/auth/login', { body })).status).toBe(422)
  const failed = async () => (await scrape(app.monitor)).value('cleartick_desk_sign_ins_failed')
  await expect.poll(failed).toBe(1)
})

test('counts accepted, rejected and settled trades, and measures how long they took', async () => {
  const eve = await app.trader()
  const before = await scrape(app.monitor)
  const accepted = 'cleartick_trades_accepted_total'
  await app.submit(eve)
  await app.submit(eve)
  const poor = { symbol: 'BTCUSDT', trading_type: 'Cryptocurrency', trade_mode: 'Buy', amount: 500, duration: 60 }
  const order = { token: eve.token, body: { ...poor, strike_rate: '75/3', mode: 'real' } }
  const rejected = await app.send('POST', '/api/trading/submit', order)
  expect(rejected.json?.code).toBe('insufficient_balance')
  const after = await scrape(app.monitor)
  expect(after.value(accepted)! - before.value(accepted)!).toBe(2)
  expect(after.value('cleartick_acceptance_duration_seconds_count')).toBe(after.value(accepted))
  expect(after.value('cleartick_orders_rejected_total', { code: 'insufficient_balance' })).toBe(1)
  await expect.poll(async () => (await scrape(app.monitor)).value('cleartick_trades_open')).toBe(2)

  const client = await connectTo(app.superUrl)
  await client.query(
    'set session_replication_role = replica; alter table trades drop constraint if exists trades_terms',
  )
  await client.query('update trades set end_time = trade_time + 1000')
  await client.end()
  await expect.poll(async () => (await scrape(app.monitor)).value('cleartick_trades_settled_total')).toBe(2)
  const settled = await scrape(app.monitor)
  expect(settled.value('cleartick_settlement_lateness_seconds_count')).toBe(2)
  expect(settled.value('cleartick_settlement_lateness_seconds_sum')).toBeGreaterThan(0)
  await expect.poll(async () => (await scrape(app.monitor)).value('cleartick_trades_due')).toBe(0)
})

test('reports the state of the node, its feed, its bus, its database and its queues', async () => {
  const socket = await listen(app)
  const { value } = await scrape(app.monitor)
  expect(value('cleartick_node', { roles: 'engine+web' })).toBe(1)
  expect(value('cleartick_leader')).toBe(1)
  expect(value('cleartick_feed', { source: 'simulation' })).toBe(1)
  expect(value('cleartick_feed', { source: 'live' })).toBe(0)
  expect(value('cleartick_symbols', { state: 'open' })).toBeGreaterThan(50)
  expect(value('cleartick_frame')).toBeGreaterThan(0)
  expect(value('cleartick_frame_age_seconds')).toBeLessThan(30)
  for (const part of ['node', 'database', 'tape', 'clock', 'bus']) expect(value('cleartick_health', { part })).toBe(1)
  expect(value('cleartick_bus_connected')).toBe(1)
  expect(value('cleartick_bus_gaps_total')).toBe(0)
  expect(value('cleartick_database_connections_max')).toBe(16)
  expect(value('cleartick_database_connections', { state: 'idle' })).toBeGreaterThanOrEqual(0)
  expect(value('cleartick_orders_waiting')).toBe(0)
  expect(value('cleartick_desk_waiting', { queue: 'deposits' })).toBe(0)
  expect(value('cleartick_sockets')).toBe(1)
  // Another test may run a standby of the same PostgreSQL.
  expect(value('cleartick_replicas')).toBeDefined()
  expect(value('cleartick_tape_bytes', { of: 'bodies_kept' })).toBeDefined()
  expect(value('cleartick_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0)
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(value('nodejs_eventloop_lag_max_seconds'), 'measured by ourselves').toBeUndefined()
  socket.socket.terminate()
})

test('the queries of a scrape do not count as waiting for a connection', async () => {
  const waiting = []
  for (let scraped = 0; scraped < 5; scraped++)
    waiting.push((await scrape(app.monitor)).value('cleartick_database_waiting'))
  expect(waiting).toEqual([0, 0, 0, 0, 0])
})

test('counts undelivered e-mails, with the age of the oldest', async () => {
  await app.register()
  await expect.poll(async () => (await scrape(app.monitor)).value('cleartick_mails_waiting')).toBeGreaterThan(0)
  expect((await scrape(app.monitor)).value('cleartick_mails_age_seconds')).toBeGreaterThan(0)
})

test('counts requests by route and status, never by user input', async () => {
  for (const path of ['/api/ready', '/api/nonsense-1', '/api/nonsense-2', '/nonsense-3', '/api/trading/abc-1'])
    await app.send('GET', path)
  const { value, samples } = await scrape(app.monitor)
  const count = 'cleartick_http_request_duration_seconds_count'
  expect(value(count, { route: 'GET /api/ready', status: '2xx' })).toBe(1)
  expect(value(count, { route: 'GET /api/trading/:trade_id', status: '4xx' })).toBe(1)
  const routes = new Set(samples.filter(({ name }) => name === count).map(({ labels }) => labels.route!))
  expect([...routes].filter((route) => /nonsense|abc-1/.test(route))).toEqual([])
})

test('shows when verify and backup last ran and last succeeded', async () => {
  const owner = openDatabase(app.ownerUrl, { max: 1, name: 'test', log: createLog('silent') })
  onTestFinished(() => owner.close())
  await recordRun(owner.db, 'verify', true)
  await sql`update maintenance_runs set succeeded_at = succeeded_at - interval '1 hour'`.execute(owner.db)
  await recordRun(owner.db, 'verify', false)
  await recordRun(owner.db, 'backup', true)
  const verified = async () =>
    (await scrape(app.monitor)).value('cleartick_maintenance_succeeded', { command: 'verify' })
  await expect.poll(verified).toBe(0)
  const { value } = await scrape(app.monitor)
  expect(value('cleartick_maintenance_succeeded', { command: 'backup' })).toBe(1)
  const ran = value('cleartick_maintenance_last_run_timestamp_seconds', { command: 'verify' })!
  const succeeded = value('cleartick_maintenance_last_success_timestamp_seconds', { command: 'verify' })!
  expect(ran - succeeded).toBeGreaterThan(3_500)
  expect(Math.abs(ran - Date.now() / 1000)).toBeLessThan(600)
})

test("shows that an engine's key signs nothing, by its name", async () => {
  const { samples } = await scrape(app.monitor)
  const { key } = samples.find(({ name }) => name === 'cleartick_proof_key_waits')!.labels
  const waits = async () => (await scrape(app.monitor)).value('cleartick_proof_key_waits', { key: key! })
  await expect.poll(waits).toBe(0)
  const client = await connectTo(app.superUrl)
  onTestFinished(() => client.end())
  await client.query("update proof_keys set revoked_at = now(), revoked_reason = 'stolen' where id = $1", [key])
  await expect.poll(waits).toBe(1)
})

test('a node without an engine reports its own requests and no trades of the installation', async () => {
  const web = await app.otherNode({ ROLES: 'web', METRICS_PORT: '0' })
  onTestFinished(() => web.stop())
  const { value } = await scrape(web.monitor)
  expect(value('cleartick_node', { roles: 'web' })).toBe(1)
  expect(value('cleartick_trades_accepted_total')).toBe(0)
  expect(value('cleartick_trades_open')).toBeUndefined()
  expect(value('cleartick_leader')).toBeUndefined()
  expect((await (await fetch(`${web.monitor}/live`)).json()) as unknown).toEqual({ status: true })
})

test('a separate port serves only metrics, and only locally or with the token', async () => {
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    (await fetch(app.monitor + path, { method, headers })).status
  const proxied = { 'x-forwarded-for': '203.0.113.9' }
  expect(await ask('/metrics', proxied)).toBe(404)
  expect(await ask('/metrics', { ...proxied, authorization: 'Bearer a-token-for-monitorinG' })).toBe(404)
  expect(await ask('/metrics', { ...proxied, authorization: 'Bearer a-token-for-monitoring' })).toBe(200)
  // An event loop that was late once is reported for up to 20 s.
  await expect.poll(() => ask('/health', proxied)).toBe(200)
  expect(await ask('/live', proxied)).toBe(200)
  expect(await ask('/api/health')).toBe(404)
  expect(await ask('/metrics', {}, 'POST')).toBe(404)
})

test('health reports a lost bus until it is back', async () => {
  const name = new URL(app.superUrl).pathname.slice(1)
  const elsewhere = new URL(app.superUrl)
  elsewhere.pathname = '/postgres'
  const client = await connectTo(elsewhere.href)
  onTestFinished(async () => {
    await client.query(`alter database ${name} allow_connections true`)
    await client.end()
  })
  const health = async () => {
    const { status, json } = await app.send('GET', '/api/health')
    return `${status} ${json?.message ?? ''}`
  }
  await client.query(`alter database ${name} allow_connections false`)
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'cleartick bus'",
    [name],
  )
  await expect.poll(health).toMatch(/^503 .*bus: no connection to the other nodes/)
  expect((await fetch(`${app.monitor}/health`)).status).toBe(503)
  const lost = await scrape(app.monitor)
  expect(lost.value('cleartick_bus_connected')).toBe(0)
  expect(lost.value('cleartick_health', { part: 'bus' })).toBe(0)
  expect((await app.send('GET', '/api/ready')).status).toBe(200)
  await client.query(`alter database ${name} allow_connections true`)
  await expect.poll(health).toBe('200 ')
  expect((await scrape(app.monitor)).value('cleartick_bus_gaps_total')).toBeGreaterThan(0)
})

test('omits metrics that need the database while it does not respond, and serves the others', async () => {
  const client = await connectTo(app.superUrl)
  onTestFinished(() => client.end())
  await client.query('begin; lock table maintenance_runs')
  const locked = async () => (await scrape(app.monitor)).value('cleartick_maintenance_succeeded')
  await expect.poll(locked).toBeUndefined()
  const { value } = await scrape(app.monitor)
  expect(value('cleartick_metrics_failed_total')).toBeGreaterThan(0)
  expect(value('cleartick_frame')).toBeGreaterThan(0)
  expect(value('cleartick_trades_open')).toBeDefined()
  await client.query('rollback')
  await expect.poll(locked).toBeDefined()
})
