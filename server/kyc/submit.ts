import { Problem } from '#contract/problem.ts'
import type { Submission } from '../identity/index.ts'
import type { Notices } from '../notices/index.ts'
import { type Db, inTransaction, isUniqueViolation, type Tx } from '../platform/database/db.ts'
import { type Files, reencodePicture } from '../platform/files/index.ts'
import type { Log } from '../platform/process/log.ts'
import type { Push } from '../platform/sockets/push.ts'
import { type CheckKind, type IdentityCheck, maySubmit } from './identity-check.ts'
import type { KycLimits } from './limits.ts'
import { currentCheck, endChecks, insertCheck, supersedeCheck } from './store.ts'

export interface KycDeps {
  db: Db
  log: Log
  limits: KycLimits
  files: Files
  push: Pick<Push, 'afterCommit'>
  notices: Notices
  /** Called when an operator approves a user's identity, in the same transaction. */
  approved(tx: Tx, userId: bigint): Promise<void>
}

/** Longest side of a stored image, in pixels: keeps documents readable. */
const SIDE = 2_400

/**
 * Accepts a government ID. Throws `wrong_state` while one is pending or approved, `too_many_requests`, and the errors
 * of `reencodePicture`. One of several concurrent uploads succeeds, and only its image is kept.
 */
export const submit = (deps: KycDeps, command: Submission): Promise<void> => takeIn(deps, 'identity', command)

/** Accepts a proof of address, under the same rules. */
export const submitAddress = (
  deps: KycDeps,
  command: Omit<Submission, 'method'> & { method: IdentityCheck<'address'>['method'] },
): Promise<void> => takeIn(deps, 'address', command)

async function takeIn(
  deps: KycDeps,
  kind: CheckKind,
  command: Omit<Submission, 'method'> & { method: IdentityCheck<CheckKind>['method'] },
): Promise<void> {
  const alreadyThere = () => new Problem('wrong_state', ALREADY[kind])
  // Cheap pre-check before the expensive re-encode; the transaction decides.
  if (!maySubmit(await currentCheck(deps.db, command.owner, kind))) throw alreadyThere()
  deps.limits.uploads.take(String(command.owner))
  const picture = await reencodePicture(command.file.bytes, kind === 'identity' ? 'id_file' : 'file', SIDE)
  const file = await deps.files.put(picture)
  try {
    await inTransaction(deps.db, async (tx) => {
      const userId = await command.claim(tx)
      const current = await currentCheck(tx, userId, kind)
      if (!maySubmit(current)) throw alreadyThere()
      if (current) await supersedeCheck(tx, current.id)
      await insertCheck(tx, {
        userId,
        kind,
        method: command.method,
        file,
        holdsWithdrawals: current?.holdsWithdrawals ?? false,
      })
      deps.push.afterCommit(tx, userId, { op: 'verification', data: { kind, status: 'Pending' } })
    })
  } catch (error) {
    await remove(deps, [file])
    throw isUniqueViolation(error, 'identity_checks_current') ? alreadyThere() : error
  }
}

/** Ends the checks of a closed account, and deletes their images after the commit. */
export async function endChecksOf(deps: KycDeps, tx: Tx, userId: bigint): Promise<void> {
  const files = await endChecks(tx, userId)
  tx.afterCommit(() => remove(deps, files))
}

/**
 * Deletes images. A failure to delete doesn't fail the request: the image stays encrypted, and nothing refers to it.
 */
async function remove(deps: KycDeps, files: string[]): Promise<void> {
  for (const file of files) {
    await deps.files.delete(file).catch((error: unknown) => {
      deps.log.error({ error: String(error) }, 'could not delete an image')
    })
  }
}

const ALREADY: Record<CheckKind, string> = {
  identity: "You've already uploaded an ID. You can upload another if this one is rejected.",
  address: "You've already uploaded a proof of address. You can upload another if this one is rejected.",
}
