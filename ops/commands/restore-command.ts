import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { s3Storage } from '#server/platform/files/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { backupKey, openTarget, restoreBackup } from '../backup/index.ts'
import { readArguments, runCommand, say, WrongArguments } from './run-command.ts'
import { verifyAll } from './verify-all.ts'

const USAGE = `Usage: npm run restore -- --into FOLDER          restores the newest backup into a new data folder
         --backup ID                             another one, see npm run backup -- list
         --wal FOLDER [--until TIME]             and replays the archived WAL, up to a time such as 2026-11-22T14:30:00Z

Settings: BACKUP_URL, and BACKUP_KEY_FILE or BACKUP_KEY. See docs/operations/backup.md.`

/** `npm run restore`: restores a backup into a new folder and verifies it. Touches no existing installation. */
async function restore(args: string[]): Promise<undefined> {
  const text = { type: 'string' } as const
  const { values } = readArguments({ args, options: { into: text, backup: text, wal: text, until: text } })
  const { into, backup, wal, until } = values
  if (into === undefined) throw new WrongArguments('Say where to restore it: --into FOLDER.')
  const config = readConfig({ ...process.env, DATA_DIR: undefined })
  const begun = performance.now()
  const restored = await restoreBackup({
    target: await openTarget(config.BACKUP_URL),
    key: backupKey(config),
    into,
    id: backup,
    wal,
    until: until === undefined ? undefined : timeOf(until),
    filesKey: config.FILES_KEY,
    otherFilesKeys: config.FILES_KEY_OTHERS,
    files: config.FILES_URL ? await s3Storage(config.FILES_URL) : undefined,
    verify,
    say,
  })
  say(`\nRestored backup ${restored.id} into ${into} (${((performance.now() - begun) / 1000).toFixed(1)} s).`)
  say(
    restored.database.kind === 'embedded'
      ? `Start it with DATA_DIR=${into} npm start. Its tape begins a new epoch.`
      : `Start your PostgreSQL 18 on ${into}/postgres, then the server with DATABASE_URL. Its tape begins a new epoch.`,
  )
}

async function verify(superUrl: string): Promise<boolean> {
  const database = openDatabase(superUrl, { max: 4, name: 'verify', log: createLog('silent') })
  try {
    const findings = await verifyAll(database.db, { patienceMs: 0 })
    const broken = findings.filter((finding) => finding.broken !== undefined)
    for (const { name, says, broken: row } of broken) say(`BROKEN ${name.padEnd(5)} ${says}: ${row}`)
    if (broken.length === 0) say(`All ${findings.length} checks passed.`)
    return broken.length === 0
  } finally {
    await database.close()
  }
}

function timeOf(unchecked: string): Date {
  // Without a zone, a time would mean this machine's.
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(unchecked) ? new Date(unchecked) : undefined
  if (time && !Number.isNaN(time.getTime())) return time
  throw new StartProblem(`${unchecked} is no time. Write it with its zone, such as 2026-11-22T14:30:00Z.`)
}

// The exit also stops the PostgreSQL that recovers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

runCommand(USAGE, restore)
