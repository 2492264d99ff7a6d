import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Trade } from '#contract/trading/trading.ts'
import { judgeReads } from '#ops/doctor/database.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { examineStandby } from '#server/platform/database/standby.ts'
import { createLog } from '#server/platform/process/log.ts'
import { scrape } from '#tests/support/measures/metrics.ts'
import { startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { makeStandby, type PostgresServer, type Primary, startPrimary } from '#tests/support/servers/standby.ts'

/**
 * Two nodes that read from a real standby. Reads may be slightly stale, but include all that the caller wrote or saw.
 */
let folder: string
let primary: Primary
let standby: PostgresServer
let app: WholeApp
let web: { origin: string; stop(): Promise<void> }
let ada: Trader

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-standby-'))
  chmodSync(folder, 0o711)
  primary = await startPrimary(folder)
  standby = await makeStandby(primary.superUrl, { folder: join(folder, 'standby'), name: 'one' })
  const database = openDatabase(primary.urls.app, { max: 5, name: 'test', log: createLog('error') })
  const settings = { DATABASE_READ_URL: `postgres://127.0.0.1:${standby.port}` }
  app = await startWholeApp(settings, {
    database: {
      ...database,
      appUrl: primary.urls.app,
      ownerUrl: primary.urls.owner,
      superUrl: primary.superUrl,
      drop: () => database.close(),
    },
  })
  web = await app.otherNode({ ...settings, ROLES: 'web' })
  ada = await app.trader()
  await app.submit(ada)
})
afterEach(() => replay('resume'))
afterAll(async () => {
  await web?.stop()
  await app?.stop()
  await standby?.kill()
  await primary?.kill()
  rmSync(folder, { recursive: true, force: true })
})

const replay = async (how: 'pause' | 'resume') =>
  void (await standby.ask(`select case when pg_is_in_recovery() then pg_wal_replay_${how}() end`))

/** Reads from one of the nodes, as a client without cookies. */
async function read(node: { origin: string }, path: string, { token }: Trader, headers: Record<string, string> = {}) {
  const began = performance.now()
  const response = await fetch(`${node.origin}/api${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return { text, tookMs: performance.now() - began, cookies: response.headers.getSetCookie() }
}

const trades = async (node: { origin: string }, trader: Trader, headers?: Record<string, string>) =>
  (JSON.parse((await read(node, '/trading?mode=demo', trader, headers)).text) as { data: Trade[] }).data

async function counts(node: { origin: string }) {
  const { value } = await scrape(node.origin)
  return {
    standby: value('cleartick_reads_total', { from: 'standby' })!,
    primary: value('cleartick_reads_total', { from: 'primary' })!,
  }
}

/** Returns where a node reads from during one call. */
async function where(node: { origin: string }, call: () => Promise<unknown>): Promise<'standby' | 'primary'> {
  const before = await counts(node)
  await call()
  const after = await counts(node)
  expect(after.standby + after.primary).toBe(before.standby + before.primary + 1)
  return after.standby > before.standby ? 'standby' : 'primary'
}

/** Waits until a node reads from the standby for this trader. */
const fromStandby = (node: { origin: string }, trader: Trader) =>
  expect.poll(() => where(node, () => trades(node, trader))).toBe('standby')

const noteOf = async (node: { origin: string }) => {
  const response = await fetch(`${node.origin}/api/health`)
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: Record<string, string> }).data.standby
}

test("reads go to the standby and always include the caller's latest writes", async () => {
  for (const node of [app, web]) await fromStandby(node, ada)
  await replay('pause')
  const { trade_id } = await app.submit(ada)
  const newest = async (node: { origin: string }) => (await trades(node, ada))[0]!.trade_id
  // On the node that accepted the order, and on the one that is notified of it.
  expect(await newest(app)).toBe(trade_id)
  await expect.poll(() => newest(web)).toBe(trade_id)
  await replay('resume')
  for (const node of [app, web]) await fromStandby(node, ada)
  for (const node of [app, web]) expect(await newest(node)).toBe(trade_id)
})

test('browsers that just wrote, and clients that ask for fresh data, read from the primary on any node', async () => {
  const written = await app.send('POST', '/api/notices/read', { token: ada.token, body: { up_to: '1' } })
  expect(written.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^wrote=1; Max-Age=5; Path=\/api; HttpOnly; SameSite=Strict$/),
  ])
  await fromStandby(web, ada)
  const asking: Record<string, string>[] = [
    { cookie: 'wrote=1' },
    { cookie: `wrote=${'x'.repeat(4_000)}` },
    { cookie: 'wrote=%00%ff; wrote=2' },
    { 'cache-control': 'no-cache' },
  ]
  for (const headers of asking)
    expect(await where(web, () => trades(web, ada, headers)), JSON.stringify(headers)).toBe('primary')
  const unrelated = { cookie: 'other=1', 'cache-control': 'max-age=0' }
  await expect.poll(() => where(web, () => trades(web, ada, unrelated))).toBe('standby')
  expect((await read(web, '/trading?mode=demo', ada)).cookies).toEqual([])
})

test('statements, lists and public pages are the same from the standby as from the primary', async () => {
  await fromStandby(web, ada)
  const day = new Date().toISOString().slice(0, 10)
  for (const path of [
    `/statement?mode=demo&from=${day}&to=${day}`,
    '/notices',
    '/deposit',
    '/withdraw',
    '/profit',
    '/automatic/orders?mode=demo',
    '/public/payouts',
    '/public/signals',
    '/proof/checkpoints',
    '/proof/keys',
  ]) {
    const found = { text: '' }
    const fromWhere = () => where(web, async () => Object.assign(found, await read(web, path, ada)))
    // A standby that was silent for a moment isn't used for a moment.
    await expect.poll(fromWhere, { message: path }).toBe('standby')
    expect(found.text, path).toBe((await read(web, path, ada, { 'cache-control': 'no-cache' })).text)
  }
})

test('a standby that falls behind, hangs or dies costs no caller an error, and health stays up', async () => {
  await fromStandby(web, ada)
  const slowest = { ms: 0 }
  let watching = true
  const reads = (async () => {
    while (watching) {
      slowest.ms = Math.max(slowest.ms, (await read(web, '/trading?mode=demo', ada)).tookMs)
      await sleep(10)
    }
  })()
  onTestFinished(() => {
    watching = false
  })
  const notUsed = (why: RegExp) => expect.poll(() => noteOf(web), { interval: 100 }).toMatch(why)
  await replay('pause')
  await app.submit(ada)
  await notUsed(/^not used: it is \d+ s behind$/)
  await replay('resume')
  await expect.poll(() => noteOf(web)).toBe('up')
  standby.signal('SIGSTOP')
  await notUsed(/^not used: it can't be reached/)
  standby.signal('SIGCONT')
  await expect.poll(() => noteOf(web)).toBe('up')
  await standby.kill()
  await notUsed(/^not used: it can't be reached/)
  await standby.start()
  await expect.poll(() => noteOf(web)).toBe('up')
  watching = false
  await reads
  // A hanging standby is detected after 1.5 s.
  expect(slowest.ms).toBeLessThan(5_000)
})

test('the doctor reports whether reads go to the standby', async () => {
  const examine = async () => judgeReads(await examineStandby(standby.url(primary.superUrl), app.pool))
  expect(await examine()).toMatchObject({ state: 'ok', says: 'Reads go to the standby, which is 0 MiB behind.' })
  expect(judgeReads({ wrong: '', bytes: 2 ** 30 }).says).toMatch(/is 1024 MiB behind/)
  expect(judgeReads(await examineStandby(primary.superUrl, app.pool))).toMatchObject({
    state: 'problem',
    says: expect.stringContaining('because it is no standby'),
  })
  expect((await examineStandby('postgres://127.0.0.1:1/x', app.pool)).wrong).toMatch(/can't be reached/)
})

test('a promoted standby is no longer read from', async () => {
  await fromStandby(web, ada)
  await standby.ask('select pg_promote()')
  await expect.poll(() => noteOf(web)).toBe('not used: it is no standby')
  expect(await where(web, () => trades(web, ada))).toBe('primary')
})
