import { DAY_MS } from '#kernel/time.ts'
import { ARCHIVE_DAYS_MIN, type Config, readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { loadInstruments } from '#server/prices/index.ts'
import {
  archiveDay,
  checkAccounts,
  checkDay,
  countGrants,
  dayLines,
  expireDay,
  expireGrants,
  listDays,
  listGrants,
  planArchive,
} from '../archive/index.ts'
import { backupKey, targetAt } from '../backup/index.ts'
import { reachDatabase } from './reach-database.ts'
import { noMore, readArguments, runCommand, say, WrongArguments } from './run-command.ts'

const USAGE = `Moves old settled trades and their movements out of the database, a day at a time. Those in demo can expire: they
are removed without files.

  npm run archive -- --before 2026-01-01      moves the days before this one out
         -- --demo --before 2026-01-01        removes the demo trades and resets of the days before this one
  npm run archive                             those older than DEMO_AFTER_DAYS and ARCHIVE_AFTER_DAYS (unset: all are kept)
         -- --dry-run                         says what it would do, and changes nothing
         -- --backed-up-elsewhere             if your backups aren't made with npm run backup
  npm run archive -- list                     lists the days that were archived or have expired
  npm run archive -- check [DAY]              reads a day back, or all days, and compares them with the ledger
  npm run archive -- read DAY                 prints the rows of a day, a line each

Settings: ARCHIVE_URL, and BACKUP_KEY_FILE or BACKUP_KEY. See docs/operations/archive.md.`

const OPTIONS = {
  before: { type: 'string' },
  demo: { type: 'boolean' },
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

/** Demo trades first: what has expired isn't written to files. */
async function move(config: Config, db: Db, values: Values): Promise<boolean> {
  const { before, demo = false } = values
  if (before !== undefined && !isDay(before)) throw notADay(before)
  const wanted =
    before === undefined
      ? [
          { what: 'demo' as const, before: dayBefore(config.DEMO_AFTER_DAYS) },
          { what: 'archive' as const, before: dayBefore(config.ARCHIVE_AFTER_DAYS) },
        ].filter((one) => !demo || one.what === 'demo')
      : [{ what: demo ? ('demo' as const) : ('archive' as const), before }]
  const asked = wanted.flatMap((one) => (one.before === undefined ? [] : [{ ...one, before: one.before }]))
  if (asked.length === 0) {
    say('Everything is kept: set DEMO_AFTER_DAYS or ARCHIVE_AFTER_DAYS, or say up to which day with --before.')
    return true
  }
  let isDone = true
  for (const { what, before: day } of asked) if (!(await moveUntil(config, db, values, what, day))) isDone = false
  return isDone
}

const dayBefore = (days: number | undefined): string | undefined =>
  days === undefined ? undefined : new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

async function moveUntil(
  config: Config,
  db: Db,
  values: Values,
  what: 'archive' | 'demo',
  before: string,
): Promise<boolean> {
  const plan = await planArchive(db, {
    what,
    before,
    now: Date.now(),
    minDays: ARCHIVE_DAYS_MIN,
    backedUpElsewhere: values['backed-up-elsewhere'] ?? false,
  })
  const { days, refusals } = plan
  const [would, were] = what === 'demo' ? ['remove', 'removed'] : ['move', 'moved']
  for (const refusal of refusals) say(refusal)
  const until = what === 'demo' ? plan.until : undefined
  const waiting = until === undefined ? undefined : await countGrants(db, until)
  const someGrants = waiting !== undefined && waiting.grants + waiting.keys > 0
  if (values['dry-run']) {
    for (const { day, trades } of days) say(`${day}: would ${would} at most ${trades} trades`)
    if (someGrants) say(`Before ${until}: would remove ${grantWords(waiting)}`)
    if (days.length === 0 && !someGrants) say(`Nothing would be ${were}.`)
    return true
  }
  if (days.length === 0 && !someGrants) {
    say(`Nothing was ${were}.`)
    return refusals.length === 0
  }
  await moveDays(config, db, what, days)
  const expired = until !== undefined && someGrants ? await expireGrants(db, until) : undefined
  if (expired) say(`Before ${until}: removed ${grantWords(expired)}`)
  say('The space is reused once autovacuum has run. See docs/operations/archive.md.')
  return refusals.length === 0
}

const grantWords = ({ grants, keys }: { grants: number | bigint; keys: number | bigint }) =>
  `${grants} grants of demo balance and ${keys} keys of resets`

async function moveDays(
  config: Config,
  db: Db,
  what: 'archive' | 'demo',
  days: readonly { day: string }[],
): Promise<void> {
  if (days.length === 0) return
  const were = what === 'demo' ? 'removed' : 'moved'
  const instruments = await loadInstruments(db)
  const stored = what === 'archive' ? await storage(config) : undefined
  for (const { day } of days) {
    const begun = performance.now()
    const moved = stored
      ? await archiveDay({ db, instruments, ...stored }, day)
      : await expireDay({ db, instruments }, day)
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const size = moved?.stored === undefined ? '' : `${(moved.stored / 1e6).toFixed(1)} MB, `
    say(
      moved
        ? `${day}: ${were} ${moved.trades}${stored ? '' : ' demo'} trades and ${moved.transfers} movements (${size}${seconds} s); ${moved.stayed} trades stay`
        : `${day}: all trades stay`,
    )
  }
}

async function list(db: Db): Promise<boolean> {
  const days = await listDays(db)
  for (const { day, trades, transfers, object } of days)
    say(`${day}: ${trades} trades, ${transfers} movements, ${object === null ? 'in demo, expired' : `in ${object}`}`)
  const runs = await listGrants(db)
  for (const run of runs) say(`before ${run.until}: ${grantWords(run)}, expired`)
  if (days.length + runs.length === 0) say('Nothing was archived, and nothing has expired.')
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
