import { first } from '#kernel/must.ts'
import { readConfig } from '#server/config/config.ts'
import { type Database, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { reachDatabase } from './reach-database.ts'
import { rekey } from './rekey.ts'
import { noMore, runCommand, say } from './run-command.ts'

const USAGE = `Encrypts private files and sealed values with FILES_KEY that only a key of FILES_KEY_OTHERS opens.

  npm run rekey               can be interrupted and started again, while the server runs or is stopped
  npm run rekey -- --check    changes nothing, and says whether a key of FILES_KEY_OTHERS is still needed

Settings: those of the server. See docs/operations/README.md#change-the-key-of-private-files.`

/** `npm run rekey`. Returns false if something still needs another key, or none opens it. */
async function run(args: string[]): Promise<boolean> {
  const isCheck = args[0] === '--check'
  noMore(isCheck ? args.slice(1) : args)
  const config = readConfig()
  const { url, close } = await reachDatabase(config)
  const database = openDatabase(url, { max: 3, name: 'rekey', log: createLog('silent') })
  let endTurn = () => {}
  try {
    if (!isCheck) endTurn = await takeTurn(database.pool)
    if (!isCheck) await rekey(config, database.db, { rewrite: true, say })
    // A node that still encrypts with another key may have written meanwhile.
    const left = await rekey(config, database.db, { rewrite: false, ...(isCheck ? { say } : {}) })
    for (const one of left.unreadable) say(`UNREADABLE ${one}`)
    if (left.unreadable.length > 0) {
      say(
        `\nNo key opens ${left.unreadable.length} of them: they were changed, or their key is missing from FILES_KEY_OTHERS. Add it, or restore them from a backup.`,
      )
    }
    if (left.other > 0) {
      say(
        isCheck
          ? `\n${left.other} still need a key of FILES_KEY_OTHERS: run npm run rekey.`
          : `\n${left.other} were written with another key meanwhile: a node doesn't have the new FILES_KEY yet. Restart it, then run this again.`,
      )
    }
    const isDone = left.other + left.unreadable.length === 0
    if (isDone) say(`\nFILES_KEY opens all ${left.current}: FILES_KEY_OTHERS is not needed any more.`)
    return isDone
  } finally {
    endTurn()
    await database.close()
    await close()
  }
}

/** Two at once would write the same temporary files. The lock ends with its connection, also if this is killed. */
async function takeTurn(pool: Database['pool']): Promise<() => void> {
  const client = await pool.connect()
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock(7070) as mine')
  const release = () => client.release(true)
  if (first(rows).mine) return release
  release()
  throw new StartProblem('Another npm run rekey is under way. Wait until it has ended.')
}

runCommand(USAGE, run)
