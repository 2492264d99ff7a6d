import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../process/log.ts'
import { freePort, startEmbedded } from './embedded.ts'

const KILLS = 12

test('PostgreSQL is started again though it is killed as soon as it answers, again and again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-embedded-'))
  chmodSync(dataDir, 0o711)
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const postgres = await startEmbedded({ dataDir, log: createLog('silent'), unsafeFast: true })
  onTestFinished(() => postgres.stop())

  /** Waits until it takes a connection. Returns its process. */
  async function answering(): Promise<number> {
    for (let waitedMs = 0; waitedMs < 20_000; waitedMs++) {
      const client = new pg.Client({ connectionString: postgres.superUrl })
      client.on('error', () => undefined)
      const connected = await client.connect().then(
        () => true,
        () => false,
      )
      const pid = postgres.pid()
      void client.end().catch(() => undefined)
      if (connected && pid !== undefined) return pid
      await sleep(1)
    }
    throw new Error('PostgreSQL does not run')
  }

  const pids = new Set<number>()
  for (let n = 0; n < KILLS; n++) {
    const pid = await answering()
    pids.add(pid)
    process.kill(pid, 'SIGKILL')
    while (postgres.pid() === pid && n < KILLS - 1) await sleep(1)
  }
  expect(pids.size).toBe(KILLS)
  expect(pids).not.toContain(await answering())
}, 300_000)

test('a free port is one that no outgoing connection is given, and a taken one is not free', async () => {
  for (let n = 0; n < 50; n++) {
    const port = await freePort(0)
    expect(port).toBeGreaterThanOrEqual(20_000)
    expect(port).toBeLessThan(32_768)
  }
  const taken = (await freePort(0))!
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  expect(await freePort(taken)).toBeUndefined()
})
