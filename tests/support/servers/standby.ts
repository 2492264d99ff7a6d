import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectForBackup } from '#ops/backup/replication.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { postgresProgram } from '#server/platform/postgres/cluster.ts'
import { freePort, startEmbedded } from '#server/platform/postgres/embedded.ts'
import { type DatabaseUrls, provision, withDatabase } from '#server/platform/postgres/provision.ts'
import { postgresUser } from '#server/platform/postgres/user.ts'
import { createLog } from '#server/platform/process/log.ts'
import { childrenOf } from './nodes.ts'

/** A PostgreSQL that a test can kill, pause and promote. Only the test restarts it. */
export interface PostgresServer {
  folder: string
  port: number
  /** Returns the superuser's address of this server for a database of the primary. */
  url(primaryUrl: string): string
  /** Sends a signal to the postmaster and to all of its processes. */
  signal(signal: NodeJS.Signals): void
  /** Restarts it after it has ended, with more settings. */
  start(more?: Record<string, string>): Promise<void>
  /** Kills it. */
  kill(): Promise<void>
  /** Runs one statement on it, as the superuser. */
  ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
  log(): string
}

interface ServerOptions {
  folder: string
  port: number
  superUrl: string
  settings: Record<string, string>
}

/** Starts the built-in PostgreSQL on a folder. */
async function runPostgres({ folder, port, superUrl, settings }: ServerOptions): Promise<PostgresServer> {
  const runAs = postgresUser()
  const logFile = `${folder}.log`
  let child: ChildProcess
  const at = (url: string) => {
    const changed = new URL(url)
    changed.port = String(port)
    return changed.href
  }
  const base = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    hot_standby_feedback: 'on',
    wal_retrieve_retry_interval: '100ms',
    ...settings,
  }

  async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: at(superUrl), connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  async function start(more: Record<string, string> = {}): Promise<void> {
    const flags = Object.entries({ ...base, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const log = openSync(logFile, 'a', 0o600)
    child = spawn(postgresProgram('postgres'), ['-D', folder, '-p', String(port), ...flags], {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      ...(runAs ? { uid: runAs.uid, gid: runAs.gid } : {}),
    })
    child.unref()
    for (let waitedMs = 0; waitedMs < 20_000 && child.exitCode === null; waitedMs += 25) {
      if (await ask('select 1').catch(() => undefined)) return
      await sleep(25)
    }
    throw new Error(`PostgreSQL did not start:\n${readFileSync(logFile, 'utf8')}`)
  }

  await start()
  return {
    folder,
    port,
    url: at,
    signal(signal) {
      for (const pid of [child.pid!, ...childrenOf(child.pid!)]) sendTo(pid, signal)
    },
    start,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      for (const pid of [child.pid!, ...childrenOf(child.pid!)]) sendTo(pid, 'SIGKILL')
      await ended
    },
    ask,
    log: () => readFileSync(logFile, 'utf8'),
  }
}

/** A server with a migrated database, and its addresses. Only the test restarts it. */
export interface Primary extends PostgresServer {
  urls: DatabaseUrls
  superUrl: string
}

/** Creates a migrated database in a folder, and starts its server. */
export async function startPrimary(dataDir: string, settings: Record<string, string> = {}): Promise<Primary> {
  const embedded = await startEmbedded({ dataDir, log: createLog('error'), unsafeFast: true })
  const urls = await provision(embedded.superUrl, dataDir)
  const superUrl = withDatabase(embedded.superUrl, 'cleartick')
  await migrate(urls.owner)
  await embedded.stop()
  const [folder, port] = [join(dataDir, 'postgres'), embedded.port]
  const server = await runPostgres({ folder, port, superUrl, settings: { ...UNSAFE_FAST, ...settings } })
  return { ...server, urls, superUrl }
}

/** Safe in tests: without a power loss, a killed process leaves its files intact. */
const UNSAFE_FAST = { fsync: 'off', full_page_writes: 'off' }

/** Creates a standby of a running server, named `name`, which streams the WAL from that server's port. */
export async function makeStandby(
  primaryUrl: string,
  options: { folder: string; name: string; settings?: Record<string, string> },
): Promise<PostgresServer> {
  const { folder, name, settings = {} } = options
  await copyOf(primaryUrl, folder)
  const { username, password, port: primaryPort } = new URL(primaryUrl)
  const source = `host=127.0.0.1 port=${primaryPort} user=${username} password=${decodeURIComponent(password)} application_name=${name}`
  appendFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeFileSync(join(folder, 'standby.signal'), '')
  const runAs = postgresUser()
  if (runAs) chownSync(join(folder, 'standby.signal'), runAs.uid, runAs.gid)
  const port = (await freePort(0))!
  return runPostgres({ folder, port, superUrl: primaryUrl, settings: { ...UNSAFE_FAST, ...settings } })
}

/** Copies a running server's files, with the WAL that they need. */
async function copyOf(primaryUrl: string, folder: string): Promise<void> {
  const runAs = postgresUser()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  if (runAs) chownSync(folder, runAs.uid, runAs.gid)
  const tar = spawn('tar', ['-x', '-C', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    ...(runAs ? { uid: runAs.uid, gid: runAs.gid } : {}),
  })
  const done = once(tar, 'close')
  const client = await connectForBackup(primaryUrl)
  try {
    await client.baseBackup({
      label: 'standby',
      async archive(bytes) {
        if (!tar.stdin.write(bytes)) await once(tar.stdin, 'drain')
      },
      manifest: async () => undefined,
    })
  } finally {
    await client.close()
    tar.stdin.end()
    await done
  }
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
