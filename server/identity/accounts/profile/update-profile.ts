import type { z } from 'zod/mini'
import type { ProfileBody } from '#contract/account/profile.ts'
import type { User } from '#contract/account/user.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { type Db, inTransaction, type Tx } from '../../../platform/database/db.ts'
import { type Files, reencodePicture } from '../../../platform/files/index.ts'
import type { UncheckedFile } from '../../../platform/http/index.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { IdentityDeps } from '../../deps.ts'
import type { IdentityLimits } from '../../limits.ts'
import { shownUser } from '../store.ts'
import { USER_COLUMNS } from '../user.ts'

export interface ProfileDeps {
  db: Db
  log: Log
  files: Files
  limits: Pick<IdentityLimits, 'avatars'>
  kyc: {
    /** Checks an approved identity again after a change of verified fields. */
    reopenCheck(tx: Tx, userId: bigint, changedFrom: Record<string, string>): Promise<void>
  }
  guardrails: IdentityDeps['guardrails']
  /** Throws when the trader is too young for this installation. */
  checkAge(dateOfBirth: string): void
}

/** Fields that an ID proves: changing any of these after its approval triggers another check. */
const PROVEN = ['firstname', 'lastname', 'date_of_birth', 'country'] as const

export type ProfileChange = { [Field in keyof z.infer<typeof ProfileBody>]?: z.infer<typeof ProfileBody>[Field] }

/** Longest side of a stored avatar, in pixels. */
const SIDE = 512

/**
 * Saves the given fields, and the avatar if there is one: re-encoded and stored under a new random name. The previous
 * avatar is deleted after the commit. Throws `validation_failed` for a gender that can only be kept,
 * `too_many_requests`, and the errors of the image check.
 */
export async function updateProfile(
  deps: ProfileDeps,
  userId: bigint,
  change: ProfileChange,
  avatar?: UncheckedFile,
): Promise<User> {
  if (avatar) deps.limits.avatars.take(String(userId))
  const picture = avatar && (await reencodePicture(avatar.bytes, 'avatar', SIDE))
  const file = picture && (await deps.files.put(picture))
  try {
    await inTransaction(deps.db, async (tx) => {
      const before = await tx
        .selectFrom('users')
        .select(USER_COLUMNS)
        .where('id', '=', userId)
        .where('ended_at', 'is', null)
        .forNoKeyUpdate()
        .executeTakeFirst()
      if (!before) throw new Problem('unauthenticated', 'Please sign in.')
      // The form offers male and female; users who registered with 'others' may keep it.
      if (change.gender === 'others' && before.gender !== 'others') throw fieldProblem('gender', 'is invalid')
      if (change.date_of_birth !== undefined) deps.checkAge(change.date_of_birth)
      const set = { ...change, ...(file === undefined ? {} : { avatar: file }) }
      if (Object.keys(set).length > 0) await tx.updateTable('users').set(set).where('id', '=', userId).execute()
      const changed = PROVEN.filter((field) => change[field] !== undefined && change[field] !== (before[field] ?? ''))
      const from = Object.fromEntries(changed.map((field) => [field, before[field] ?? '']))
      if (changed.length > 0) {
        await deps.kyc.reopenCheck(tx, userId, from)
        await deps.guardrails.carryOver(tx, userId)
      }
      const replaced = file === undefined ? null : before.avatar
      if (replaced !== null) tx.afterCommit(() => remove(deps, replaced))
    })
  } catch (error) {
    if (file !== undefined) await remove(deps, file)
    throw error
  }
  const user = await shownUser(deps.db, userId)
  if (!user) throw new Problem('unauthenticated', 'Please sign in.')
  return user
}

/**
 * Returns an avatar by its file name, if an open account uses it. The storage holds private images too, so only avatar
 * names are accepted.
 */
export async function avatarPicture(deps: ProfileDeps, uncheckedName: string): Promise<Buffer | undefined> {
  const owner = await deps.db
    .selectFrom('users')
    .select('id')
    .where('avatar', '=', uncheckedName)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return owner && deps.files.get(uncheckedName)
}

/** Deletes an image. A failure to delete doesn't fail the request: nothing refers to the image any more. */
const remove = (deps: ProfileDeps, file: string): Promise<void> =>
  deps.files.delete(file).catch((error: unknown) => {
    deps.log.error({ error: String(error) }, 'could not delete an avatar')
  })
