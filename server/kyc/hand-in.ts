import { Problem } from '#contract/problem.ts'
import type { HandIn } from '../identity/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Bus } from '../platform/bus.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../platform/db.ts'
import { type Files, redrawPicture } from '../platform/files/index.ts'
import type { Log } from '../platform/log.ts'
import { type CheckStatus, mayHandIn } from './identity-check.ts'
import type { KycLimits } from './limits.ts'
import { endChecks, insertCheck, livingCheck, supersedeCheck } from './store.ts'

/** What this room tells others, after it was committed. */
export interface KycTopics {
  'verification-changed': { userId: bigint; status: CheckStatus }
}

export interface KycDeps {
  db: Db
  log: Log
  limits: KycLimits
  files: Files
  bus: Bus<KycTopics>
  notices: Notices
}

/** Longest side of a kept picture, pixels: a document stays readable. */
const SIDE = 2_400

/**
 * Takes in a government ID: `wrong_state` while one waits or was approved, `too_many_requests`; what the picture is refused for is said by
 * `redrawPicture`. Of many at once one gets in, and only its picture stays.
 */
export async function handIn(deps: KycDeps, command: HandIn): Promise<void> {
  // Asked before the picture is drawn anew, which is costly; decided in the transaction.
  if (!mayHandIn(await livingCheck(deps.db, command.owner))) throw alreadyThere()
  deps.limits.uploads.take(String(command.owner))
  const picture = await redrawPicture(command.file.bytes, 'id_file', SIDE)
  const file = await deps.files.put(picture)
  try {
    await inTransaction(deps.db, async (tx) => {
      const userId = await command.claim(tx)
      const living = await livingCheck(tx, userId)
      if (!mayHandIn(living)) throw alreadyThere()
      if (living) await supersedeCheck(tx, living.id)
      await insertCheck(tx, { userId, method: command.method, file })
    })
  } catch (error) {
    await remove(deps, [file])
    throw isUniqueViolation(error, 'identity_checks_living') ? alreadyThere() : error
  }
  deps.bus.publish('verification-changed', { userId: command.owner, status: 'Pending' })
}

/** Ends what an ended account handed in. What it answers is called after the commit: it destroys the pictures. */
export async function endChecksOf(deps: KycDeps, tx: Tx, userId: bigint): Promise<() => Promise<void>> {
  const files = await endChecks(tx, userId)
  return () => remove(deps, files)
}

/** A picture that cannot be removed now is no reason to fail what was done; it stays encrypted, and nothing names it. */
async function remove(deps: KycDeps, files: string[]): Promise<void> {
  for (const file of files) {
    await deps.files.delete(file).catch((error: unknown) => {
      deps.log.error({ error: String(error) }, 'a picture could not be removed')
    })
  }
}

const alreadyThere = () =>
  new Problem('wrong_state', 'Your ID was handed in already. You can hand in another if this one is rejected.')
