import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, existsSync, openSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { keepFile } from '../process/durable-file.ts'
import type { Log } from '../process/log.ts'
import { StartProblem } from '../process/start-problem.ts'
import {
  hasCluster,
  makeCluster,
  nativeFolder,
  postgresProgram,
  refuseLostCluster,
  refuseOtherFiles,
} from './cluster.ts'
import { postgresUser, type RunAs } from './user.ts'

/** A PostgreSQL that this process started, monitors, restarts and stops. */
interface EmbeddedPostgres {
  /** The superuser's address of the `postgres` database, with its password. */
  superUrl: string
  port: number
  /** The postmaster's process id, for tests that kill it. */
  pid(): number | undefined
  stop(): Promise<void>
}

interface EmbeddedOptions {
  /** The installation's folder; PostgreSQL's own files are below it. */
  dataDir: string
  log: Log
  /** Test clusters only: without it a commit survives a power loss. */
  unsafeFast?: boolean
  /** Further `-c` settings. */
  settings?: Record<string, string>
}

/**
 * Starts PostgreSQL on the data below `dataDir`, creating it on the first start. The caller holds the data lock. An
 * orphan left by a killed server is stopped first, never adopted. If PostgreSQL dies, it is restarted.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, unsafeFast } = options
  const runAs = postgresUser()
  const folder = join(dataDir, 'postgres')
  refuseLostCluster(dataDir)
  refuseUnreachableFolder(dataDir, runAs)
  const password = keepFile(join(dataDir, 'postgres.password'), () => randomBytes(24).toString('base64url')).trim()
  if (!hasCluster(dataDir)) await makeCluster(dataDir, { password, runAs, unsafeFast })
  refuseOtherFiles(dataDir)
  await stopOrphan(folder, options.log)
  const port = await keepPort(dataDir)
  const superUrl = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`

  let stopping = false
  let child: ChildProcess
  let watching: Promise<void> = Promise.resolve()

  const logFile = join(dataDir, 'postgres.log')

  async function launch(): Promise<void> {
    // After a SIGKILL of the postmaster its children may hold the shared memory for a moment: keep retrying for a
    // while.
    for (let attempt = 1; attempt <= 20; attempt++) {
      child = spawnPostgres(folder, port, runAs, options)
      if (await answers(superUrl, child)) return
      await sleep(Math.min(250 * attempt, 1000))
    }
    throw new Error(`PostgreSQL doesn't start. See its log: ${logFile}`)
  }

  /** Retries indefinitely: what keeps it down (a full disk, say) may be fixed in an hour. The operator is notified. */
  async function revive(): Promise<void> {
    for (let attempt = 1; !stopping; attempt++) {
      child = spawnPostgres(folder, port, runAs, options)
      if (await answers(superUrl, child)) return
      options.log.error({ freeMebibytes: freeMebibytes(folder), logFile }, 'PostgreSQL does not start; trying again')
      await sleep(Math.min(250 * attempt, 5_000))
    }
  }

  /** It may have died between its first answer and now. */
  function watch(): void {
    const died = () => {
      if (stopping) return
      const { exitCode: code, signalCode: signal } = child
      options.log.error({ code, signal, freeMebibytes: freeMebibytes(folder) }, 'PostgreSQL died; starting it again')
      watching = revive().then(watch)
    }
    if (child.exitCode === null && child.signalCode === null) child.once('exit', died)
    else died()
  }

  await launch()
  watch()

  return {
    superUrl,
    port,
    pid: () => child.pid,
    async stop() {
      stopping = true
      await watching.catch(() => undefined)
      await stopProcess(child.pid)
    },
  }
}

/** Ensures space for the next WAL files, which may be on a separate disk. */
function freeMebibytes(folder: string): number {
  const { bavail, bsize } = statfsSync(join(folder, 'pg_wal'))
  return Math.floor((bavail * bsize) / 2 ** 20)
}

function spawnPostgres(folder: string, port: number, runAs: RunAs | undefined, options: EmbeddedOptions): ChildProcess {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '80',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    // Only messages between nodes don't wait for the disk. At its usual pace this process wakes more often than all of ours.
    wal_writer_delay: '2s',
    // Incremental backups need it.
    summarize_wal: 'on',
    jit: 'off',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    ...(options.unsafeFast ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
    ...options.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const logFile = openSync(join(options.dataDir, 'postgres.log'), 'a', 0o600)
  // A separate session: Ctrl-C must reach us first, so that we drain before the database stops.
  const child = spawn(postgresProgram('postgres'), ['-D', folder, '-p', String(port), ...flags], {
    detached: true,
    stdio: ['ignore', logFile, logFile],
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    ...(runAs ? { uid: runAs.uid, gid: runAs.gid } : {}),
  })
  child.on('error', (error) => options.log.error({ error: String(error) }, "can't run PostgreSQL"))
  child.unref()
  return child
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 60_000 && child.exitCode === null && child.signalCode === null; waitedMs += 50) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return true
    } catch {
      await sleep(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return false
}

/** Stops a PostgreSQL on this folder whose starter was killed. */
export async function stopOrphan(folder: string, log: Log): Promise<void> {
  const pidFile = join(folder, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  // A pid in a file proves nothing (it may have been reused by another process): check what it runs.
  if (!pid || !commandLine(pid).includes(folder)) return
  log.warn({ pid }, 'stopping a PostgreSQL that an earlier server left behind')
  await stopProcess(pid)
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  }
}

/** Stops a PostgreSQL: politely, then at once, then by force. */
export async function stopProcess(pid: number | undefined): Promise<void> {
  if (!pid) return
  for (const [signal, patienceMs] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 25) {
      await sleep(25)
      if (!isAlive(pid)) return
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A dead child that hasn't been reaped yet still accepts signals.
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '')
  } catch {
    return false
  }
}

/** Returns the port of the last start if it is free, so that an operator's tools keep working; otherwise another. */
async function keepPort(dataDir: string): Promise<number> {
  const file = join(dataDir, 'postgres.port')
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  const port = (last && (await freePort(last))) || (await freePort(0))
  if (!port) throw new Error('no free loopback port')
  writeFileSync(file, String(port))
  return port
}

/**
 * Below the ports that systems give to outgoing connections (from 32,768 on with Linux), so that none takes a free port
 * before it's listened on. Browsers refuse none of them.
 */
const FREE_PORTS = { first: 20_000, count: 12_000, tries: 100 }

/** Returns the port if it can be listened on (0: any), otherwise undefined. */
export async function freePort(wanted: number, host = '127.0.0.1'): Promise<number | undefined> {
  if (wanted !== 0) return (await isFree(wanted, host)) ? wanted : undefined
  for (let n = 0; n < FREE_PORTS.tries; n++) {
    const port = FREE_PORTS.first + randomInt(FREE_PORTS.count)
    if (await isFree(port, host)) return port
  }
  return undefined
}

const isFree = (port: number, host: string) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })

/** Rejects a folder that PostgreSQL's user can't enter. */
export function refuseUnreachableFolder(dataDir: string, runAs: RunAs | undefined): void {
  if (!runAs) return
  chmodSync(dataDir, 0o711)
  for (const [what, path] of [
    ['the data folder', dataDir],
    ['the installed packages', nativeFolder()],
  ] as const) {
    const entered = spawnSync('/bin/sh', ['-c', 'cd "$0"', path], {
      uid: runAs.uid,
      gid: runAs.gid,
      stdio: 'ignore',
      cwd: '/',
    })
    if (entered.status === 0) continue
    throw new StartProblem(
      `PostgreSQL refuses to run as root, and the user '${runAs.name}' that it runs as instead cannot enter ${what}:\n  ${path}\n` +
        'Start as a regular user, or move the folder to where other users can enter (for example below /srv),\n' +
        'or run chmod o+x on each folder above it.',
    )
  }
}
