import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from '#kernel/must.ts'
import type { Config } from '#server/config/config.ts'
import { roleHolders } from '#server/desk/index.ts'
import { capitalOf, graceUntil } from '#server/ledger/index.ts'
import { type Database, sql } from '#server/platform/database/db.ts'
import { examineStandby } from '#server/platform/database/standby.ts'
import { diskStorage, filesKey, s3Storage } from '#server/platform/files/index.ts'
import { excludesNobody } from '#server/platform/http/limits/desk-networks.ts'
import { looseInstruments, tapeState } from '#server/prices/index.ts'
import { keyThatReceiptsWaitFor } from '#server/proof/index.ts'
import { DEFAULT_VENUES, type Venue } from '#server/venues/index.ts'
import { backupTime, listBackups, openTarget } from '../backup/index.ts'
import {
  checkClock,
  checkDurability,
  checkReplicas,
  checkSchema,
  checkVersion,
  judgeCapital,
  judgeInstruments,
  judgeProofKey,
  judgeReads,
  judgeRoles,
  judgeTape,
  type Query,
} from './database.ts'
import { checkSecrets, judgeSpace, spaceOf } from './disk.ts'
import { attempt, type Finding, ok, problem, warning } from './finding.ts'
import { checkBuild, checkPort, judgeFiles, judgeProofFile, judgeSpelling } from './host.ts'
import { type Archiver, checkMail, checkStorage, checkVenues, judgeArchive, judgeBackups } from './outside.ts'

export { attempt, type Finding, problem } from './finding.ts'
export { judgeKeys } from './outside.ts'

const BUILD = fileURLToPath(new URL('../../build', import.meta.url))

const DATABASE_FIX =
  "Look at PostgreSQL's log, and give the login in DATABASE_URL the rights of an owner and pg_monitor."

/** Checks all that can be seen in the database. Returns whether the tape is being written, too. */
export async function examineDatabase(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  standbyUrl: string | undefined,
  { production }: Pick<Config, 'production'>,
): Promise<{ findings: Finding[]; isRunning: boolean }> {
  const query: Query = async <Row>(text: string) => (await sql.raw<Row>(text).execute(db)).rows
  const findings: Finding[] = []
  const check = async (part: string, work: () => Promise<Finding[]>) => {
    findings.push(...(await attempt(part, DATABASE_FIX, work)))
  }
  let isRunning = false
  await check('database', () => checkVersion(query))
  await check('schema', () => checkSchema(query))
  await check('clock', () => checkClock(query))
  await check('fsync', () => checkDurability(query))
  await check('replicas', () => checkReplicas(query))
  if (standbyUrl !== undefined) await check('reads', async () => [judgeReads(await examineStandby(standbyUrl, pool))])
  await check('archive', async () => [judgeArchive(await readArchiver(query))])
  await check('tape', async () => {
    const { isWritten, ageMs } = await tapeState(db)
    isRunning = isWritten
    return [judgeTape(ageMs, isWritten)]
  })
  await check('operators', async () => [judgeRoles(await roleHolders(db))])
  // Engines give a test installation its play capital.
  if (production)
    await check('capital', async () => {
      const { capital } = await capitalOf(db, { production })
      return [judgeCapital(capital, await graceUntil(db), Date.now())]
    })
  await check('instruments', async () => [judgeInstruments(await looseInstruments(db))])
  await check('receipts', async () => [judgeProofKey(await keyThatReceiptsWaitFor(db))])
  return { findings, isRunning }
}

/** Counts the files that wait only where copying fails: that takes the rights of pg_monitor. */
async function readArchiver(query: Query): Promise<Archiver> {
  const [state] = await query<Omit<Archiver, 'waiting'>>(`
    select current_setting('archive_mode') as mode,
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails
    from pg_stat_archiver`)
  if (!must(state).fails) return { ...must(state), waiting: 0 }
  const [files] = await query<{ waiting: number }>(
    "select count(*)::int as waiting from pg_ls_archive_statusdir() where name like '%.ready'",
  )
  return { ...must(state), ...must(files) }
}

/** Checks all that needs no database. `openVenue` connects to an exchange by its id. */
export async function examineSurroundings(
  config: Config,
  openVenue: (id: string) => Venue,
  isRunning: boolean,
): Promise<Finding[]> {
  const findings = await Promise.all([
    attempt('settings', 'Read README.md.', async () => checkSettings(config)),
    attempt('settings', 'Read README.md.', async () => judgeSpelling(process.env)),
    attempt('build', 'Check the folder build.', async () => (config.ROLES.includes('web') ? [checkBuild(BUILD)] : [])),
    attempt('port', 'Check PORT and HOST.', async () =>
      config.ROLES.includes('web') ? [await checkPort(config, isRunning)] : [],
    ),
    attempt('receipts', 'Check DATA_DIR.', async () => judgeProofFile(config)),
    attempt('storage', 'Check FILES_URL.', async () => judgeFiles(config)),
    attempt('disk', 'Check DATA_DIR and BACKUP_URL.', async () => checkDisks(config)),
    attempt('secrets', 'Check the permissions of DATA_DIR.', async () => [checkSecrets(config.dataDir)]),
    checkMail(config.SMTP_URL).then((found) => [found]),
    attempt('storage', 'Check FILES_URL, or the permissions of DATA_DIR/files.', async () => [
      await examineStorage(config),
    ]),
    attempt('feed', 'Check FEED.', async () => examineFeed(config, openVenue)),
    attempt('backup', 'Check BACKUP_URL.', async () => [await examineBackups(config)]),
  ])
  return findings.flat()
}

function checkSettings(config: Config): Finding[] {
  const found: Finding[] = []
  const isSecure = config.PUBLIC_URL?.startsWith('https:') ?? false
  if (config.production && !isSecure) {
    found.push(
      problem('settings', 'PUBLIC_URL has no TLS: passwords travel readable.', 'Serve over TLS, and set https://….'),
    )
  }
  const wide = config.DESK_NETWORKS?.filter(excludesNobody) ?? []
  if (wide.length > 0)
    found.push(
      warning(
        'settings',
        `DESK_NETWORKS excludes hardly anyone: it has ${wide.map(({ address, prefix }) => `${address}/${prefix}`).join(', ')}.`,
        'List only the networks from which operators work.',
      ),
    )
  if (config.production && isSecure && config.TRUST_PROXY === undefined) {
    found.push(
      warning(
        'settings',
        'TRUST_PROXY is not set: behind a proxy, all visitors share one limit.',
        "Set it to the proxy's addresses.",
      ),
    )
  }
  if (config.RATE_LIMITS !== 'on')
    found.push(warning('settings', `RATE_LIMITS is ${config.RATE_LIMITS}.`, 'Unset it outside of load tests.'))
  const kind = config.production ? 'production' : 'a test installation'
  return found.length > 0 ? found : [ok('settings', `All settings are valid; this is ${kind}.`)]
}

function checkDisks({ dataDir, BACKUP_URL, WAL_ARCHIVE, DATABASE_URL }: Config): Finding[] {
  const places: [string, string | undefined][] = [
    ['The data folder', dataDir],
    ["PostgreSQL's log", DATABASE_URL ? undefined : join(dataDir, 'postgres', 'pg_wal')],
    ['The folder of the backups', BACKUP_URL?.startsWith('s3+') ? undefined : BACKUP_URL],
    ['The archive of the log', WAL_ARCHIVE],
  ]
  return places.flatMap(([what, path]) => (path === undefined ? [] : [judgeSpace(what, path, spaceOf(path))]))
}

async function examineStorage({ FILES_URL, FILES_KEY, FILES_KEY_OTHERS, dataDir }: Config): Promise<Finding> {
  // Reading it would create one.
  if (FILES_KEY === undefined && !existsSync(join(dataDir, 'files.key'))) {
    return problem(
      'storage',
      'DATA_DIR/files.key is missing: private files and sealed secrets are unreadable.',
      'Restore it from a backup. On a new installation, start the server once.',
    )
  }
  const storage = FILES_URL ? await s3Storage(FILES_URL) : diskStorage(join(dataDir, 'files'))
  return checkStorage(storage, filesKey(dataDir, FILES_KEY), FILES_KEY_OTHERS)
}

async function examineFeed({ FEED }: Config, openVenue: (id: string) => Venue): Promise<Finding[]> {
  const [kind = '', rest = ''] = FEED.split(/:(.*)/s)
  if (kind === 'simulation') return [ok('feed', 'Prices are simulated.')]
  if (kind === 'replay') {
    if (existsSync(rest)) return [ok('feed', `Prices are replayed from ${rest}.`)]
    return [problem('feed', `There is no recording in ${rest}.`, 'Check the folder in FEED.')]
  }
  const ids = kind === 'live' ? rest.split(',').filter((id) => id !== '') : DEFAULT_VENUES
  return checkVenues(ids.map(openVenue), kind === 'auto')
}

async function examineBackups({ BACKUP_URL }: Config): Promise<Finding> {
  if (BACKUP_URL === undefined) {
    return problem('backup', 'No backups are made.', 'Set BACKUP_URL and a key; docs/operations/backup.md.')
  }
  const stored = await listBackups(await openTarget(BACKUP_URL))
  return judgeBackups(stored, backupTime, Date.now())
}
