import { readConfig } from './config.ts'
import { openDatabase } from './platform/db.ts'
import { createLog } from './platform/log.ts'
import { StartProblem } from './platform/start-problem.ts'
import { listKeys, revokeKey } from './proof/index.ts'
import { reachDatabase, whyNot } from './reach-database.ts'

const USAGE = `Usage: npm run proof -- keys
       npm run proof -- revoke KEY 'REASON'`

/** Host commands for the keys that sign checkpoints, whether or not the server is running. */
async function proof([verb, id, reason, ...more]: string[]): Promise<string> {
  const isKeys = verb === 'keys' && id === undefined
  const isRevoke = verb === 'revoke' && id && reason && reason.length <= 500 && more.length === 0
  if (!isKeys && !isRevoke) throw new StartProblem(USAGE)
  const { url, close } = await reachDatabase(readConfig())
  const database = openDatabase(url, { max: 1, name: 'proof', log: createLog('silent') })
  try {
    if (isKeys) return await listKeys(database.db)
    if (!(await revokeKey(database.db, id!, reason!)))
      throw new StartProblem(`There is no key ${id} that isn't revoked yet. See npm run proof -- keys`)
    return `Revoked. Receipts signed with it no longer check. An engine that still has it must get another: change PROOF_KEY, or delete DATA_DIR/proof.key, and restart it.`
  } finally {
    await database.close()
    await close()
  }
}

proof(process.argv.slice(2)).then(
  (text) => {
    process.stdout.write(`${text}\n`)
    process.exit(0)
  },
  (error: unknown) => {
    process.stderr.write(`${whyNot(error)}\n`)
    process.exit(1)
  },
)
