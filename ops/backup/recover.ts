import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { postgresProgram } from '#server/platform/postgres/cluster.ts'
import { stopProcess } from '#server/platform/postgres/embedded.ts'
import { postgresUser } from '#server/platform/postgres/user.ts'
import { restoreCommand } from '#server/platform/postgres/wal.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'

export interface RecoverOptions {
  /** PostgreSQL's folder, with the files of a backup. */
  folder: string
  /** A folder of archived WAL to replay, up to `until` if given. */
  wal?: string | undefined
  /** PostgreSQL stops just before the first commit after this time. */
  until?: Date | undefined
}

interface Recovered {
  /** The address of a role's login; only this user and root can reach it. */
  urlOf(role: string, database: string): string
  stop(): Promise<void>
}

/**
 * Lets PostgreSQL recover the files of a backup and starts it on a private socket, so that nobody else can reach it.
 * Recovery begins a new timeline, by which the tape will know that its database is a copy.
 */
export async function recover({ folder, wal, until }: RecoverOptions): Promise<Recovered> {
  const runAs = postgresUser()
  const room = mkdtempSync(join(tmpdir(), 'cleartick-restore-'))
  writeFileSync(join(room, 'access'), 'local all all trust\n', { mode: 0o600 })
  writeFileSync(join(room, 'settings'), '', { mode: 0o600 })
  writeFileSync(join(folder, 'recovery.signal'), '', { mode: 0o600 })
  if (runAs)
    for (const path of [room, join(room, 'access'), join(room, 'settings')]) chownSync(path, runAs.uid, runAs.gid)
  if (runAs) giveTo(folder, runAs)
  const logFile = join(room, 'log')
  const log = openSync(logFile, 'a', 0o600)
  const flags = Object.entries(settingsOf(room, wal, until)).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(postgresProgram('postgres'), ['-D', folder, ...flags], {
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    ...(runAs ? { uid: runAs.uid, gid: runAs.gid } : {}),
  })
  closeSync(log)
  const urlOf = (role: string, database: string) =>
    `postgres://${encodeURIComponent(role)}@${encodeURIComponent(room)}/${encodeURIComponent(database)}`
  const stop = async () => {
    await stopProcess(child.pid)
    rmSync(room, { recursive: true, force: true })
  }
  // PostgreSQL must not outlive a restore that is interrupted.
  const kill = () => child.kill('SIGQUIT')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  if (await accepts(urlOf('postgres', 'template1'), child)) return { urlOf, stop }
  const said = readFileSync(logFile, 'utf8')
  await stop()
  throw new StartProblem(
    `PostgreSQL couldn't recover the backup${until === undefined ? '' : ` up to ${until.toISOString()}`}. It says:\n${said
      .split('\n')
      .filter((line) => / (FATAL|PANIC|ERROR): /.test(line))
      .map((line) => `  ${line.replace(/^.*?(FATAL|PANIC|ERROR)/, '$1')}`)
      .slice(-5)
      .join('\n')}`,
  )
}

/** The settings of the installation that was backed up don't apply to this machine. */
const settingsOf = (
  room: string,
  wal: RecoverOptions['wal'],
  until: RecoverOptions['until'],
): Record<string, string> => ({
  config_file: join(room, 'settings'),
  hba_file: join(room, 'access'),
  ident_file: join(room, 'settings'),
  listen_addresses: '',
  unix_socket_directories: room,
  shared_preload_libraries: '',
  archive_mode: 'off',
  ssl: 'off',
  max_connections: '100',
  shared_buffers: '256MB',
  // Connections are accepted once recovery is complete.
  hot_standby: 'off',
  restore_command: restoreCommand(wal),
  recovery_target_timeline: 'latest',
  ...(until === undefined
    ? {}
    : { recovery_target_time: until.toISOString().replace('Z', '+00'), recovery_target_inclusive: 'off' }),
  recovery_target_action: 'promote',
})

/** Whether PostgreSQL accepts connections, or rejects one only because of its user. False once it has exited. */
async function accepts(url: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return true
    } catch (error) {
      // 28000: there is no such role. 57P03: it's still recovering.
      if ((error as { code?: string }).code === '28000') return true
      await sleep(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return false
}

function giveTo(folder: string, { uid, gid }: { uid: number; gid: number }): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chownSync(join(entry.parentPath, entry.name), uid, gid)
  }
}
