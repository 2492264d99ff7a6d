import { readConfig } from '#server/config/config.ts'
import { parseAuditHead, type RecordedHead } from '#server/desk/index.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { noteRun } from '#server/platform/database/maintenance.ts'
import { createLog } from '#server/platform/process/log.ts'
import { reachDatabase } from './reach-database.ts'
import { readArguments, runCommand, say, WrongArguments } from './run-command.ts'
import { verifyAll } from './verify-all.ts'

const USAGE = 'Usage: npm run verify -- [--audit-head N:HASH]'

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
  const text = readArguments({ args, options: { 'audit-head': { type: 'string' } } }).values['audit-head']
  if (text === undefined) return undefined
  const head = parseAuditHead(text)
  if (!head) throw new WrongArguments(`'${text}' is not an audit head: use a number, a colon and 64 hex digits.`)
  return head
}

runCommand(USAGE, verify)
