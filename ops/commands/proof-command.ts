import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import {
  listKeys,
  newestLine,
  newestStatement,
  requestStatement,
  revokeKey,
  statementSinceRequest,
} from '#server/proof/index.ts'
import { reachDatabase, whyNot } from './reach-database.ts'

const USAGE = `Usage: npm run proof -- keys
       npm run proof -- revoke KEY 'REASON'
       npm run proof -- solvency
       npm run proof -- checkpoint`

const ENGINE_WITHIN_MS = 60_000

/**
 * Host commands for the keys that sign checkpoints and the newest checkpoint, whether or not the server is running, and for
 * a statement of solvency, which the engine makes.
 */
async function proof([verb, id, reason, ...more]: string[]): Promise<string> {
  const isKeys = verb === 'keys' && id === undefined
  const isRevoke = verb === 'revoke' && id && reason && reason.length <= 500 && more.length === 0
  const isSolvency = verb === 'solvency' && id === undefined
  const isCheckpoint = verb === 'checkpoint' && id === undefined
  if (!isKeys && !isRevoke && !isSolvency && !isCheckpoint) throw new StartProblem(USAGE)
  const { url, close } = await reachDatabase(readConfig())
  const database = openDatabase(url, { max: 1, name: 'proof', log: createLog('silent') })
  try {
    if (isKeys) return await listKeys(database.db)
    if (isCheckpoint) return (await newestLine(database.db)) ?? 'No engine has signed a checkpoint yet.'
    if (isSolvency) return await demandStatement(database.db)
    if (!(await revokeKey(database.db, id!, reason!)))
      throw new StartProblem(`There is no key ${id} that isn't revoked yet. See npm run proof -- keys`)
    return `Revoked. Receipts signed with it no longer check, unless a later checkpoint of another key, a time stamp or a published line shows that they are older. An engine that still has it must get another: change PROOF_KEY, or delete DATA_DIR/proof.key, and restart it.`
  } finally {
    await database.close()
    await close()
  }
}

/** Requests a statement and waits for the engine to make it. */
async function demandStatement(db: Db): Promise<string> {
  await requestStatement(db)
  for (const end = performance.now() + ENGINE_WITHIN_MS; performance.now() < end; await sleep(500)) {
    if ((await statementSinceRequest(db)) === undefined) continue
    const { number, accounts, total, root } = (await newestStatement(db))!
    return `Statement ${number}: $${total} is owed to ${accounts} traders. Root ${root}`
  }
  throw new StartProblem('No engine made the statement within a minute. It follows once the server runs.')
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
