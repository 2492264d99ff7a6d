/**
 * Resources that an idle installation uses: `node lab/bench/installation/idle.ts [minutes]`, three by default, after `npm run build`.
 *
 * Starts the product as `npm start` does, waits until it has settled, and then measures the processor time, memory and
 * written WAL of its processes and of its PostgreSQL. Nobody is connected, and no trade is open. Linux only.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { cpuMs, memoryBytes, treeOf } from '../support/processes.ts'

const MINUTES = Number(process.argv[2] ?? 3)
/** Time to settle: start-up work ends (the first solvency statement is due after five minutes), charts are read once, frames slow to one a second, and idle loops slow down. */
const REST_MS = 330_000
const GOALS = { product: 0.5, database: 0.5, walMb: 80, memoryMb: 300 }

await measure()

async function measure(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-idle-'))
  // The first start after an installation or an upgrade compiles the code; the next ones find it compiled.
  const first = start(dataDir)
  await first.up
  first.server.kill('SIGTERM')
  await first.ended
  const { server, up, ended } = start(dataDir)
  try {
    const address = join(dataDir, 'database-url')
    await up
    await sleep(REST_MS)
    const client = new pg.Client({ connectionString: readFileSync(address, 'utf8').trim() })
    await client.connect()
    const wal = async () =>
      Number((await client.query("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes")).rows[0].bytes)
    const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    const read = async () => {
      const database = treeOf(postmaster)
      return {
        product: cpuMs(productOf(server.pid!, postmaster)),
        database: cpuMs(database),
        wal: await wal(),
        at: performance.now(),
      }
    }
    const before = await read()
    await sleep(MINUTES * 60_000)
    const after = await read()
    const product = productOf(server.pid!, postmaster)
    const ms = after.at - before.at
    const share = (part: 'product' | 'database') => ((after[part] - before[part]) / ms) * 100
    const walMb = ((after.wal - before.wal) / 1e6) * (3_600_000 / ms)
    const memoryMb = memoryBytes(product) / 1e6
    await client.end()
    const line = (name: string, value: number, unit: string, goal: number) =>
      console.log(`${name.padEnd(26)} ${value.toFixed(2).padStart(8)} ${unit} (goal: at most ${goal})`)
    console.log(`idle for ${(ms / 60_000).toFixed(1)} minutes; ${product.length} processes besides PostgreSQL`)
    line('our processes', share('product'), '% of a core', GOALS.product)
    line('PostgreSQL', share('database'), '% of a core', GOALS.database)
    line('WAL', walMb, 'MB an hour', GOALS.walMb)
    line('memory of our processes', memoryMb, 'MB', GOALS.memoryMb)
  } finally {
    server.kill('SIGTERM')
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Starts the product as `npm start` does. */
function start(dataDir: string) {
  const server = spawn(process.execPath, [fileURLToPath(new URL('../../../server/start.js', import.meta.url))], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, FEED: 'simulation', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  const up = new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Stop with Ctrl-C')) resolve()
    })
    void ended.then(() => reject(new Error('the server ended')))
  })
  return { server, up, ended }
}

/** Returns the supervisor and its processes, without PostgreSQL's. */
function productOf(supervisor: number, postmaster: number): number[] {
  const database = new Set(treeOf(postmaster))
  return treeOf(supervisor).filter((pid) => !database.has(pid))
}
