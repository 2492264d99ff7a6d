import { type Config, readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { noteRun } from '#server/platform/database/maintenance.ts'
import { diskStorage, s3Storage } from '#server/platform/files/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import {
  backupKey,
  checkBackup,
  createBackup,
  createKeyFile,
  listBackups,
  type Manifest,
  openTarget,
  placeOf,
  pruneBackups,
  readManifest,
} from '../backup/index.ts'
import { reachDatabase } from './reach-database.ts'
import { noMore, readArguments, runCommand, say, WrongArguments } from './run-command.ts'

const USAGE = `Usage: npm run backup                          makes a backup, incremental if possible
         -- --full                             makes a full one
         -- --keep-days N                      and removes those that no restore of the last N days needs
         -- --without-files                    leaves private files out (a bucket that keeps versions, say)
         -- --max-mebibytes-per-second N       limits the load on the disk
       npm run backup -- list                  lists the backups
       npm run backup -- check [ID]            reads all of a backup (the newest) and checks every byte
       npm run backup -- new-key FILE          creates a key file

Settings: BACKUP_URL, and BACKUP_KEY_FILE or BACKUP_KEY. See docs/operations/backup.md.`

const OPTIONS = {
  full: { type: 'boolean' },
  'keep-days': { type: 'string' },
  'without-files': { type: 'boolean' },
  'max-mebibytes-per-second': { type: 'string' },
} as const

type Values = ReturnType<typeof readArguments<{ options: typeof OPTIONS }>>['values']

/** `npm run backup`: makes, lists and checks backups, whether or not the server is running. */
async function backup(args: string[]): Promise<undefined> {
  const { values, positionals } = readArguments({ args, options: OPTIONS, allowPositionals: true })
  const [verb, named, ...more] = positionals
  if (verb !== undefined && !['list', 'check', 'new-key'].includes(verb)) noMore([verb])
  noMore(verb === 'list' && named !== undefined ? [named] : more)
  if (verb === 'new-key') {
    if (named === undefined) throw new WrongArguments('Say which file to create.')
    const file = createKeyFile(named)
    say(`The key is in ${file}. Set BACKUP_KEY_FILE to it, and keep a copy away from this machine and the backups.`)
    return
  }
  const config = readConfig()
  const key = backupKey(config)
  const target = await openTarget(config.BACKUP_URL)
  if (verb === undefined) {
    const made = await make(config, key, target, values)
    say(`Backup ${summary(made)}`)
    if (values['keep-days'] === undefined) return
    const removed = await pruneBackups(target, key, wholeNumber(values['keep-days'], '--keep-days'))
    for (const id of removed) say(`Removed ${id}`)
  } else if (verb === 'list') {
    const { complete, incomplete } = await listBackups(target)
    for (const id of complete) say(summary(await readManifest(placeOf(target, key, id))))
    for (const id of incomplete) say(`${id}: incomplete, interrupted or being written`)
    if (complete.length + incomplete.length === 0) say('There are no backups yet.')
  } else {
    const id = named ?? (await listBackups(target)).complete.at(-1)
    if (id === undefined) throw new StartProblem('There are no complete backups in BACKUP_URL.')
    const chain = await checkBackup(target, key, id)
    say(`Backup ${id} is intact${chain.length > 1 ? `, with the ${chain.length - 1} that it continues` : ''}.`)
  }
}

async function make(
  config: Config,
  key: Buffer,
  target: Awaited<ReturnType<typeof openTarget>>,
  values: Values,
): Promise<Manifest> {
  const limit = values['max-mebibytes-per-second']
  const maxKibibytesPerSecond =
    limit === undefined ? undefined : 1024 * wholeNumber(limit, '--max-mebibytes-per-second')
  const files = config.FILES_URL ? await s3Storage(config.FILES_URL) : diskStorage(`${config.dataDir}/files`)
  const { url, close } = await reachDatabase(config)
  try {
    const made = await createBackup({
      target,
      key,
      url: config.BACKUP_DATABASE_URL ?? url,
      kind: config.DATABASE_URL ? 'external' : 'embedded',
      dataDir: config.dataDir,
      filesKey: config.FILES_KEY,
      files: values['without-files'] ? undefined : files,
      full: values.full ?? false,
      maxKibibytesPerSecond,
      say,
    })
    await noteBackup(url, true)
    return made
  } catch (error) {
    await noteBackup(url, false)
    throw error
  } finally {
    await close()
  }
}

async function noteBackup(url: string, succeeded: boolean): Promise<void> {
  const database = openDatabase(url, { max: 1, name: 'backup', log: createLog('silent') })
  await noteRun(database.db, 'backup', succeeded)
  await database.close()
}

function wholeNumber(unchecked: string, name: string): number {
  if (/^[1-9]\d{0,4}$/.test(unchecked)) return Number(unchecked)
  throw new StartProblem(`${name} must be a whole number from 1 to 99999.`)
}

function summary({ id, parent, startedAt, database, files, stored }: Manifest): string {
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  const kind = parent === null ? 'full' : `continues ${parent}`
  const held = files === null ? 'without private files' : `${files.names.length} private files`
  return `${id}: ${kind}, ${startedAt}, ${mebibytes(database.bytes)} of database, ${held}, ${mebibytes(stored)} stored`
}

runCommand(USAGE, backup)
