/**
 * What an idle installation takes: `node bench/idle.ts [minutes]`, three by default, after `npm run build`.
 *
 * Starts the product as `npm start` does, waits until it has come to rest, and then reads the processor time, memory and
 * written WAL of its processes and of its PostgreSQL. Nobody is connected, and no trade is open. Linux only.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const MINUTES = Number(process.argv[2] ?? 3)
/** The work of the start ends, charts are read once, frames slow down to one a second, and loops that found nothing rest. */
const REST_MS = 150_000
const GOALS = { product: 0.5, database: 0.5, walMb: 80, memoryMb: 300 }
/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10

await measure()

async function measure(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-idle-'))
  const server = spawn(process.execPath, [fileURLToPath(new URL('../server/main.ts', import.meta.url))], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, FEED: 'simulation', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()))
  try {
    const address = join(dataDir, 'database-url')
    while (!existsSync(address)) await sleep(100)
    await sleep(REST_MS)
    const client = new pg.Client({ connectionString: readFileSync(address, 'utf8').trim() })
    await client.connect()
    const wal = async () =>
      Number((await client.query("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes")).rows[0].bytes)
    const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    const read = async () => {
      const { product, database } = processes(server.pid!, postmaster)
      return { product: cpuMs(product), database: cpuMs(database), wal: await wal(), at: performance.now() }
    }
    const before = await read()
    await sleep(MINUTES * 60_000)
    const after = await read()
    const { product } = processes(server.pid!, postmaster)
    const ms = after.at - before.at
    const share = (part: 'product' | 'database') => ((after[part] - before[part]) / ms) * 100
    const walMb = ((after.wal - before.wal) / 1e6) * (3_600_000 / ms)
    const memoryMb = product.reduce((sum, pid) => sum + memoryBytes(pid), 0) / 1e6
    await client.end()
    const line = (name: string, value: number, unit: string, goal: number) =>
      console.log(`${name.padEnd(26)} ${value.toFixed(2).padStart(8)} ${unit} (goal: at most ${goal})`)
    console.log(`idle for ${(ms / 60_000).toFixed(1)} minutes; ${product.length} processes of ours`)
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

/** The processes below the supervisor and those below PostgreSQL's first one, which is one of the former. */
function processes(supervisor: number, postmaster: number): { product: number[]; database: number[] } {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(stat(Number(name))?.[1])]),
  )
  const below = (pid: number, ancestor: number): boolean => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === ancestor) return true
    return false
  }
  const database = [...parents.keys()].filter((pid) => below(pid, postmaster))
  const product = [...parents.keys()].filter((pid) => below(pid, supervisor) && !database.includes(pid))
  return { product, database }
}

/** Processor time of these processes and of their children that have ended, in milliseconds. */
function cpuMs(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = stat(pid)
    return fields ? sum + [11, 12, 13, 14].reduce((ticks, n) => ticks + Number(fields[n]), 0) * TICK_MS : sum
  }, 0)
}

/** Memory of a process; what it shares with others counts by its share. */
function memoryBytes(pid: number): number {
  const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
  return Number(pss) * 1024
}

/** The fields of a process's line after its name; undefined once it has ended. */
function stat(pid: number): string[] | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
