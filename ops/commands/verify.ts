import { parseArgs } from 'node:util'
import { readConfig } from '#server/config/config.ts'
import { parseAuditHead, type RecordedHead } from '#server/desk/index.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { noteRun } from '#server/platform/database/maintenance.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { reachDatabase, whyNot } from './reach-database.ts'
import { verifyAll } from './verify-all.ts'

/**
 * `npm run verify`: recomputes every invariant from the raw rows, whether or not the server is running, and changes
 * nothing but the record of this run. Prints one line each; exits with 1 if one is broken or nothing could be checked.
 * `--audit-head N:HASH`, a value that `npm run desk -- audit-head` or the server's log once printed, is looked up in the
 * audit log too.
 */
async function verify(args: string[]): Promise<boolean> {
  const auditHead = recordedHead(args)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 4, name: 'verify', log: createLog('silent') })
  const begun = performance.now()
  let shownAt = begun
  try {
    const findings = await verifyAll(database.db, {
      auditHead,
      found({ name, says, broken }) {
        say(broken === undefined ? `ok     ${name.padEnd(5)} ${says}` : `BROKEN ${name.padEnd(5)} ${says}: ${broken}`)
      },
      progress(what) {
        if (performance.now() - shownAt < 3_000) return
        shownAt = performance.now()
        say(`       … ${what}`)
      },
    })
    const broken = findings.filter((finding) => finding.broken !== undefined).length
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    say(
      broken === 0
        ? `\nAll checks passed (${seconds} s).`
        : `\n${broken} of ${findings.length} checks failed (${seconds} s).`,
    )
    await noteRun(database.db, 'verify', broken === 0)
    return broken === 0
  } finally {
    await database.close()
    await close()
  }
}

function recordedHead(args: string[]): RecordedHead | undefined {
  const usage = 'Usage: npm run verify -- [--audit-head N:HASH]'
  let said: string | undefined
  try {
    said = parseArgs({ args, options: { 'audit-head': { type: 'string' } } }).values['audit-head']
  } catch {
    throw new StartProblem(usage)
  }
  if (said === undefined) return undefined
  const head = parseAuditHead(said)
  if (!head)
    throw new StartProblem(`${said} is not an audit head: use a number, a colon and 64 hex digits.\n\n${usage}`)
  return head
}

const say = (text: string) => process.stdout.write(`${text}\n`)

verify(process.argv.slice(2)).then(
  (holds) => process.exit(holds ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`\n${whyNot(error)}\n`)
    process.exit(1)
  },
)
