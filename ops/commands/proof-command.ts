import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import {
  listKeys,
  newestLine,
  newestStatement,
  openNextKey,
  openProofKey,
  requestStatement,
  revokeKey,
  statementSinceRequest,
  succeed,
} from '#server/proof/index.ts'
import { reachDatabase, whyNot } from './reach-database.ts'

const USAGE = `Usage: npm run proof -- keys
       npm run proof -- new-key [FILE]
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
  const isNewKey = verb === 'new-key' && reason === undefined
  const isRevoke = verb === 'revoke' && id && reason && reason.length <= 500 && more.length === 0
  const isSolvency = verb === 'solvency' && id === undefined
  const isCheckpoint = verb === 'checkpoint' && id === undefined
  if (!isKeys && !isNewKey && !isRevoke && !isSolvency && !isCheckpoint) throw new StartProblem(USAGE)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 1, name: 'proof', log: createLog('silent') })
  try {
    if (isKeys) return await listKeys(database.db)
    if (isNewKey) return await changeKey(database.db, config, id)
    if (isCheckpoint) return (await newestLine(database.db)) ?? 'No engine has signed a checkpoint yet.'
    if (isSolvency) return await demandStatement(database.db)
    if (!(await revokeKey(database.db, id!, reason!)))
      throw new StartProblem(`There is no key ${id} that isn't revoked yet. See npm run proof -- keys`)
    return `Revoked. Receipts signed with it no longer check, unless a later checkpoint of another key, a time stamp or a published line shows that they are older. It signs nothing any more. If you haven't changed it before, two admins begin a new one at the desk: change PROOF_KEY, or delete DATA_DIR/proof.key, and restart the engines.`
  } finally {
    await database.close()
    await close()
  }
}

/** Makes a new key, has the outgoing one sign it, and puts it where the next start of the engines finds it. */
async function changeKey(db: Db, { dataDir, PROOF_KEY }: Config, file: string | undefined): Promise<string> {
  const isSetting = PROOF_KEY !== undefined
  if (isSetting !== (file !== undefined))
    throw new StartProblem(
      isSetting
        ? 'The key is the setting PROOF_KEY. Name a file for the new one: npm run proof -- new-key FILE'
        : 'The key is DATA_DIR/proof.key. This command replaces that file, so it takes no other.',
    )
  const current = join(dataDir, 'proof.key')
  if (!isSetting && !existsSync(current))
    throw new StartProblem(`${current} is missing. Without the outgoing key, two admins begin a new one at the desk.`)
  const next = file ?? `${current}.next`
  const outgoing = openProofKey(dataDir, PROOF_KEY)
  const { id } = await succeed(db, outgoing, openNextKey(next, isSetting))
  if (!isSetting) renameSync(next, current)
  const where = isSetting ? `Set PROOF_KEY to the content of ${next} on all engines` : `It is in ${current}`
  return `The key ${id} is published, signed by ${outgoing.id}. ${where}, and restart the engines.`
}

/** Requests a statement and waits for the engine to make it. */
async function demandStatement(db: Db): Promise<string> {
  await requestStatement(db)
  for (const end = performance.now() + ENGINE_WITHIN_MS; performance.now() < end; await sleep(500)) {
    if ((await statementSinceRequest(db)) === undefined) continue
    const { number, accounts, total, root } = (await newestStatement(db))!
    return `Statement ${number}: $${total} is owed to ${accounts} traders. Root ${root}`
  }
  throw new StartProblem(
    'No engine made the statement within a minute. It follows once the server runs with a key that counts (npm run proof -- keys).',
  )
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
