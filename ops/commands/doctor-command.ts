import { type Config, readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { readUrl } from '#server/platform/postgres/provision.ts'
import type { Clock } from '#server/platform/process/clock.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { openVenue } from '#server/venues/index.ts'
import { attempt, examineDatabase, examineSurroundings, type Finding, judgeKeys, problem } from '../doctor/index.ts'
import { reachDatabase } from './reach-database.ts'
import { rekey } from './rekey.ts'
import { noMore, runCommand, say, whyNot } from './run-command.ts'

const USAGE = 'Usage: npm run doctor, with the settings and the user of the server'

/**
 * `npm run doctor`: checks an installation, whether or not the server is running, and says what is wrong and what to do.
 * Exits with 1 if there is a problem.
 */
async function doctor(args: string[]): Promise<boolean> {
  noMore(args)
  const config = readConfig()
  const database = await databaseFindings(config)
  const surroundings = await examineSurroundings(config, venueOf(config), database.isRunning)
  const findings = [...database.findings, ...surroundings]
  say(`The server is ${database.isRunning ? 'running' : 'stopped, or no node writes the tape'}.\n`)
  for (const { part, state, says, fix } of findings) {
    say(`${MARK[state]} ${part.padEnd(9)} ${says}`)
    if (fix !== undefined) say(`${' '.repeat(18)} → ${fix}`)
  }
  const problems = findings.filter(({ state }) => state === 'problem').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  say(
    problems + warnings === 0
      ? '\nAll is well.'
      : `\n${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`,
  )
  return problems === 0
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

const MARK: Record<Finding['state'], string> = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM' }

async function databaseFindings(config: Config): Promise<{ findings: Finding[]; isRunning: boolean }> {
  let reached: Awaited<ReturnType<typeof reachDatabase>>
  try {
    reached = await reachDatabase(config)
  } catch (error) {
    return { findings: [unreachable(error)], isRunning: false }
  }
  const database = openDatabase(reached.url, { max: 2, name: 'doctor', log: createLog('silent') })
  try {
    await database.pool.query('select 1')
    const { DATABASE_READ_URL, DATABASE_APP_URL } = config
    const examined = await examineDatabase(
      database,
      DATABASE_READ_URL === undefined ? undefined : readUrl(DATABASE_READ_URL, DATABASE_APP_URL ?? reached.url),
      config,
    )
    examined.findings.push(...(await keyFindings(config, database.db)))
    return examined
  } catch (error) {
    return { findings: [unreachable(error)], isRunning: false }
  } finally {
    await database.close()
    await reached.close()
  }
}

/** While `FILES_KEY_OTHERS` is set: whether it's still needed. Decrypts everything, which takes a while. */
async function keyFindings(config: Config, db: Db): Promise<Finding[]> {
  if (config.FILES_KEY_OTHERS.length === 0) return []
  return attempt('keys', 'Check FILES_KEY, FILES_KEY_OTHERS and FILES_URL.', async () => {
    const { other, unreadable } = await rekey(config, db, { rewrite: false })
    return [judgeKeys(other, unreadable.length)]
  })
}

/** A problem of the installation itself says on its second line what to do. */
function unreachable(error: unknown): Finding {
  const [says = '', fix] = whyNot(error).split('\n')
  const known = error instanceof StartProblem ? fix : undefined
  return problem('database', says, known ?? "Start it, or correct DATABASE_URL; then look at PostgreSQL's log.")
}

function venueOf(config: Config) {
  // Connections to exchanges stamp what they receive; nothing here looks at that.
  const clock: Clock = { now: Date.now, agrees: () => true }
  return (id: string) =>
    openVenue(id, {
      clock,
      log: createLog('silent'),
      address: config.VENUE_ADDRESSES[id],
      key: id === 'pyth' ? config.PYTH_API_KEY : undefined,
    })
}

runCommand(USAGE, doctor)
