import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { call, copyData, dataFolder, openSuper, startServer } from '#tests/support/servers/server.ts'
import { smallDisk } from '#tests/support/servers/small-disk.ts'
import { broken, crowd, healthy, losses } from '#tests/support/trades/crowd.ts'
import { converge, startLoad } from '#tests/support/trades/load.ts'

/** A disk that fills up while people trade: no reported result is lost, and the server recovers by itself. */
const TRADERS = 6
const LOOPS = 12

const { freshData, submitTo } = crowd(TRADERS)

test('without room for tables, orders are rejected with a message, the operator is alerted, and trading recovers', async (context) => {
  const disk = smallDisk(context, 400)
  const dataDir = freshData(disk.folder)
  const server = await startServer(dataDir)
  const submit = submitTo(() => server)
  const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
  while (load.accepted() < 300) await sleep(5)
  disk.fill()

  await expect.poll(() => server.output(), { timeout: 10_000 }).toMatch(/No space left on device/)
  await expect
    .poll(async () => (await call(server, 'GET', '/health')).json.message, { timeout: 10_000 })
    .toMatch(/tape: the tape has been silent for \d+ s/)
  // Only frames on disk are published, so prices go stale and orders are rejected for that.
  const refused = () => load.attempts.findLast(({ seen }) => seen.kind === 'refused')?.seen
  await expect
    .poll(refused, { timeout: 20_000 })
    .toMatchObject({ why: expect.stringMatching(/No price for more than 10 seconds/) })
  const before = load.accepted()

  disk.free()
  await healthy(server, 20_000)
  await expect.poll(() => load.accepted(), { timeout: 15_000 }).toBeGreaterThan(before + 100)
  const attempts = await load.stop()
  await converge(attempts, submit)
  expect(await losses(dataDir, attempts)).toEqual([])
  expect(await broken(dataDir)).toEqual([])
  expect(await server.end('SIGTERM')).toBe(0)
})

test('without room for the WAL, the database is down until there is room, and recovers by itself', async (context) => {
  const disk = smallDisk(context, 64)
  const dataDir = freshData(dataFolder())
  const changes = join(dataDir, 'postgres', 'pg_wal')
  copyData(changes, disk.folder)
  renameSync(changes, `${changes}.old`)
  symlinkSync(disk.folder, changes)
  const server = await startServer(dataDir)
  const statuses = new Map<number | 'order_expired', number>()
  const submit = submitTo(() => server, statuses)
  const load = startLoad(submit, { loops: LOOPS, traders: TRADERS })
  while (load.accepted() < 300) await sleep(5)
  disk.fill()
  // Each switch uses up one of the preallocated WAL files, until a new one is needed.
  const { db, close } = openSuper(dataDir)
  for (let used = 0; used < 8; used++) {
    const went = await sql`select pg_switch_wal()`.execute(db).catch(() => undefined)
    if (!went) break
    await sleep(200)
  }
  await close().catch(() => undefined)

  await expect.poll(async () => (await call(server, 'GET', '/health')).status, { timeout: 30_000 }).toBe(503)
  // Each attempt logs the reason for the operator.
  const retries = () => server.output().match(/"freeMebibytes":0,.*PostgreSQL does not start; trying again/g) ?? []
  await expect.poll(() => retries().length, { timeout: 30_000 }).toBeGreaterThan(2)
  await expect.poll(() => statuses.get(503) ?? 0, { timeout: 10_000 }).toBeGreaterThan(0)
  const before = load.accepted()

  disk.free()
  await healthy(server, 30_000)
  await expect.poll(() => load.accepted(), { timeout: 15_000 }).toBeGreaterThan(before + 100)
  const attempts = await load.stop()
  await converge(attempts, submit)
  // An order may also have waited for more than 2 s, or found a stale price.
  expect([...statuses.keys()].filter((answer) => ![200, 422, 503, 'order_expired'].includes(answer))).toEqual([])
  expect(await losses(dataDir, attempts)).toEqual([])
  expect(await broken(dataDir)).toEqual([])
  expect(await server.end('SIGTERM')).toBe(0)
})
