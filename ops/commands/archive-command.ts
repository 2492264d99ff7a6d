import { ARCHIVE_DAYS_MIN, type Config, readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { archiveDay, checkAccounts, checkDay, dayLines, listDays, planArchive } from '../archive/index.ts'
import { backupKey, targetAt } from '../backup/index.ts'
import { reachDatabase } from './reach-database.ts'
import { noMore, readArguments, runCommand, say, WrongArguments } from './run-command.ts'

const USAGE = `Moves old settled trades and their movements out of the database, a day at a time.

  npm run archive -- --before 2026-01-01      moves the days before this one out
  npm run archive                             those older than ARCHIVE_AFTER_DAYS (unset: everything is kept)
         -- --dry-run                         says what it would move, and changes nothing
         -- --backed-up-elsewhere             if your backups aren't made with npm run backup
  npm run archive -- list                     lists the archived days
  npm run archive -- check [DAY]              reads a day back, or all days, and compares them with the ledger
  npm run archive -- read DAY                 prints the rows of a day, a line each

Settings: ARCHIVE_URL, and BACKUP_KEY_FILE or BACKUP_KEY. See docs/operations/archive.md.`

const OPTIONS = {
  before: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'backed-up-elsewhere': { type: 'boolean' },
} as const

type Values = ReturnType<typeof readArguments<{ options: typeof OPTIONS }>>['values']

/** `npm run archive`, whether or not the server is running. Returns false if something that was asked for wasn't done. */
async function archive(args: string[]): Promise<boolean> {
  const { values, positionals } = readArguments({ args, options: OPTIONS, allowPositionals: true })
  const [verb, day, ...more] = positionals
  noMore(more)
  if (verb !== undefined && !['list', 'check', 'read'].includes(verb)) noMore([verb])
  if (verb === 'list') noMore(day === undefined ? [] : [day])
  if (day !== undefined && !isDay(day)) throw notADay(day)
  if (verb === 'read' && day === undefined) throw new WrongArguments('Say which day to read.')
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 2, name: 'archive', log: createLog('silent') })
  try {
    const { db } = database
    if (verb === undefined) return await move(config, db, values)
    if (verb === 'list') return await list(db)
    const stored = { db, ...(await storage(config)) }
    if (day === undefined || verb === 'check') return await check(stored, day)
    for await (const line of dayLines(stored, day)) say(line)
    return true
  } finally {
    await database.close()
    await close()
  }
}

async function move(config: Config, db: Db, values: Values): Promise<boolean> {
  const now = Date.now()
  const keepDays = config.ARCHIVE_AFTER_DAYS
  const before =
    values.before ??
    (keepDays === undefined ? undefined : new Date(now - keepDays * 86_400_000).toISOString().slice(0, 10))
  if (before === undefined) {
    say('Everything is kept: set ARCHIVE_AFTER_DAYS, or say up to which day with --before.')
    return true
  }
  if (!isDay(before)) throw notADay(before)
  const { days, refusals } = await planArchive(db, {
    before,
    now,
    minDays: ARCHIVE_DAYS_MIN,
    backedUpElsewhere: values['backed-up-elsewhere'] ?? false,
  })
  for (const refusal of refusals) say(refusal)
  if (values['dry-run']) {
    for (const { day, trades } of days) say(`${day}: would move at most ${trades} trades`)
    if (days.length === 0) say('Nothing would be moved.')
    return true
  }
  if (days.length === 0) {
    say('Nothing was moved.')
    return refusals.length === 0
  }
  const deps = { db, instruments: await loadInstruments(db), ...(await storage(config)) }
  for (const { day } of days) {
    const begun = performance.now()
    const moved = await archiveDay(deps, day)
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    say(
      moved
        ? `${day}: moved ${moved.trades} trades and ${moved.transfers} movements (${(moved.stored / 1e6).toFixed(1)} MB, ${seconds} s); ${moved.stayed} trades stay`
        : `${day}: all trades stay`,
    )
  }
  say('The space is reused once autovacuum has run. See docs/operations/archive.md.')
  return refusals.length === 0
}

async function list(db: Db): Promise<boolean> {
  const days = await listDays(db)
  for (const { day, trades, transfers, object } of days)
    say(`${day}: ${trades} trades, ${transfers} movements, in ${object}`)
  if (days.length === 0) say('Nothing is archived.')
  return true
}

async function check(
  deps: { db: Db } & Awaited<ReturnType<typeof storage>>,
  day: string | undefined,
): Promise<boolean> {
  const intact = (name: string, { trades, transfers }: { trades: number; transfers: number }) =>
    say(`ok     ${name}: ${trades} trades and ${transfers} movements`)
  if (day !== undefined) {
    intact(day, await checkDay(deps, day))
    return true
  }
  const account = await checkAccounts(deps, intact)
  say(
    account === undefined
      ? "ok     the archived movements of each account add up to the ledger's sums"
      : `BROKEN account ${account}: its archived movements don't add up to the ledger's sum`,
  )
  return account === undefined
}

async function storage(config: Config) {
  if (config.ARCHIVE_URL === undefined)
    throw new StartProblem(
      'Set ARCHIVE_URL to where old trades are moved to: a folder on another disk, or a bucket as s3+https://KEY:SECRET@host/bucket.',
    )
  const key = backupKey({ ...config, BACKUP_URL: config.ARCHIVE_URL })
  return { target: await targetAt(config.ARCHIVE_URL, 'archive'), key }
}

const notADay = (text: string) => new WrongArguments(`'${text}' is no day. Write it as 2026-11-22.`)

const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toString() !== 'Invalid Date'

runCommand(USAGE, archive)
