import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { must } from '#kernel/must.ts'
import { type Config, readConfig } from '#server/config/config.ts'
import { type Db, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import {
  listKeys,
  newestLine,
  newestSolvencyStatement,
  openNextKey,
  openProofKey,
  requestSolvencyStatement,
  revokeKey,
  solvencyStatementSinceRequest,
  succeed,
} from '#server/proof/index.ts'
import { reachDatabase } from './reach-database.ts'
import { noMore, runCommand, say, WrongArguments } from './run-command.ts'

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
async function proof([verb, id, reason, ...more]: string[]): Promise<undefined> {
  const work = workOf(verb, id, reason, more)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 1, name: 'proof', log: createLog('silent') })
  try {
    say(await work(database.db, config))
  } finally {
    await database.close()
    await close()
  }
}

function workOf(
  verb: string | undefined,
  id: string | undefined,
  reason: string | undefined,
  more: readonly string[],
): (db: Db, config: Config) => Promise<string> {
  const others = [id, reason, ...more].filter((one) => one !== undefined)
  switch (verb) {
    case undefined:
      throw new WrongArguments('Say what to do.')
    case 'new-key':
      noMore(others.slice(1))
      return (db, config) => changeKey(db, config, id)
    case 'revoke':
      noMore(more)
      if (id === undefined || !reason) throw new WrongArguments('Say which key to revoke, and why.')
      if (reason.length > 500) throw new WrongArguments('The reason may have 500 characters at most.')
      return (db) => revoke(db, id, reason)
    case 'keys':
      noMore(others)
      return listKeys
    case 'solvency':
      noMore(others)
      return demandSolvencyStatement
    case 'checkpoint':
      noMore(others)
      return async (db) => (await newestLine(db)) ?? 'No engine has signed a checkpoint yet.'
    default:
      throw new WrongArguments(`Unexpected argument '${verb}'.`)
  }
}

async function revoke(db: Db, id: string, reason: string): Promise<string> {
  if (!(await revokeKey(db, id, reason)))
    throw new StartProblem(`There is no key ${id} that isn't revoked yet. See npm run proof -- keys`)
  return `Revoked. Receipts signed with it no longer check, unless a later checkpoint of another key, a time stamp or a published line shows that they are older. It signs nothing any more. If you haven't changed it before, two admins begin a new one at the desk: change PROOF_KEY, or delete DATA_DIR/proof.key, and restart the engines.`
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
async function demandSolvencyStatement(db: Db): Promise<string> {
  await requestSolvencyStatement(db)
  for (const end = performance.now() + ENGINE_WITHIN_MS; performance.now() < end; await sleep(500)) {
    if ((await solvencyStatementSinceRequest(db)) === undefined) continue
    const { number, accounts, total, root } = must(await newestSolvencyStatement(db))
    return `Statement ${number}: $${total} is owed to ${accounts} traders. Root ${root}`
  }
  throw new StartProblem(
    'No engine made the statement within a minute. It follows once the server runs with a key that counts (npm run proof -- keys).',
  )
}

runCommand(USAGE, proof)
