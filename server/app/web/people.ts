import { MODES } from '#contract/terms.ts'
import { dollars } from '#kernel/money.ts'
import { removeAlerts } from '../../alerts/index.ts'
import { stopAutomatic } from '../../automatic/index.ts'
import { depositedSince, hasOpenRequest } from '../../cashier/index.ts'
import { hasOpenComplaint } from '../../complaints/index.ts'
import { recordFactorReset } from '../../desk/index.ts'
import { carryOver, excludeOtherAccounts, type GuardrailsDeps } from '../../guardrails/index.ts'
import {
  ageCheck,
  hasConfirmedEmail,
  identityLimits,
  lockPerson,
  type Passwords,
  similarAccounts,
  usersOfMailboxes,
} from '../../identity/index.ts'
import {
  currentCheck,
  endChecksOf,
  isIdentityApproved,
  type KycDeps,
  kycLimits,
  submit,
  supersedeChecksOf,
} from '../../kyc/index.ts'
import { accountOf, hasRealMovement, holdingsOf, openAccounts } from '../../ledger/index.ts'
import { archiveAll, type OwnStrategiesDeps } from '../../own-strategies/index.ts'
import { cancelPlanRequest } from '../../plans/index.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { Files } from '../../platform/files/index.ts'
import { openSeal } from '../../platform/secrets/seal.ts'
import { cancelOrders } from '../../waiting/index.ts'
import { forgetBrowsers } from '../../webpush/index.ts'
import type { Base } from '../base.ts'
import type { Screens } from '../screens.ts'

/** Limits that traders set for themselves. */
export const guardrailsOf = ({ db, clock, notices, push, bus }: Base, { sessions }: Screens): GuardrailsDeps => ({
  db,
  clock,
  notices,
  push,
  depositedSince,
  lockPerson,
  similarAccounts,
  usersOfMailboxes,
  hasConfirmedEmail,
  isIdentityApproved,
  async stopAutomatic(tx, userId, why) {
    await stopAutomatic(tx, accountOf(userId, 'real'), why)
    tx.afterCommit(() => bus.publish('automatic-changed', { accountIds: [String(accountOf(userId, 'real'))] }))
  },
  async endSessionsAndRequests(tx, userId) {
    await sessions.end(tx, userId, 'ended_by_owner')
    await cancelPlanRequest(tx, userId)
  },
})

/** Checks of identity documents. */
export const kycOf = (
  { db, log, rateLimits, push, notices }: Base,
  files: Files,
  guardrails: GuardrailsDeps,
): KycDeps => ({
  db,
  log,
  limits: kycLimits(rateLimits),
  files,
  push,
  notices,
  approved: (tx, userId) => excludeOtherAccounts(guardrails, tx, userId),
})

/** Carries a trader's limits over to another account of theirs. */
export const guardrailsParts = (guardrails: GuardrailsDeps) => ({
  carryOver: (tx: Tx, userId: bigint) => carryOver(guardrails, tx, userId),
  async mailboxChanged(tx: Tx, userId: bigint) {
    await carryOver(guardrails, tx, userId)
    await excludeOtherAccounts(guardrails, tx, userId)
  },
})

/** What a trader has to settle before their account can be closed. */
async function obligations(db: Db | Tx, userId: bigint): Promise<string[]> {
  const [real, demo] = await Promise.all([holdingsOf(db, userId, 'real'), holdingsOf(db, userId, 'demo')])
  return [
    ...(real.owed < 0n ? ['You owe money after a deposit was reversed. Repay it first.'] : []),
    ...(real.balance > 0n ? [`Withdraw your balance of ${dollars(real.balance)} first.`] : []),
    ...(real.escrow + demo.escrow > 0n ? ['You have open trades. Wait until they have ended.'] : []),
    ...((await hasOpenRequest(db, userId)) ? ['A deposit or withdrawal is under way. Wait until it is done.'] : []),
    ...((await hasOpenComplaint(db, userId)) ? ['A complaint is open. Wait for its answer.'] : []),
  ]
}

interface IdentityRooms {
  key: Buffer
  passwords: Passwords
  kyc: KycDeps
  guardrails: GuardrailsDeps
  files: Files
  ownStrategies: Pick<OwnStrategiesDeps, 'stopFollowers'>
}

/** Accounts, sign-in and sessions. */
export function identityOf(base: Base, { sessions, isOurOrigin }: Screens, rooms: IdentityRooms) {
  const { config, log, db, clock, bus, mail, notices, rateLimits, publicUrl } = base
  const { key, passwords, kyc, guardrails, files, ownStrategies } = rooms
  async function stopAll(tx: Tx, userId: bigint, why: string): Promise<void> {
    const accounts = MODES.map((mode) => accountOf(userId, mode))
    for (const account of accounts) await stopAutomatic(tx, account, why)
    tx.afterCommit(() => bus.publish('automatic-changed', { accountIds: accounts.map(String) }))
  }
  return {
    db,
    log,
    clock,
    sessions,
    passwords,
    limits: identityLimits(rateLimits),
    brand: config.BRAND,
    publicUrl,
    isAcceptedOrigin: isOurOrigin,
    mail,
    seal: openSeal(key, 'totp', config.FILES_KEY_OTHERS),
    notices,
    ledger: { openAccounts, hasRealMovement },
    // A plan request is part of the account itself.
    hasOpenRequest,
    kyc: {
      submit: (command: Parameters<typeof submit>[1]) => submit(kyc, command),
      hasCheck: async (tx: Parameters<typeof currentCheck>[0], userId: bigint) =>
        (await currentCheck(tx, userId)) !== undefined,
      endChecksOf: (tx: Parameters<typeof endChecksOf>[1], userId: bigint) => endChecksOf(kyc, tx, userId),
      supersedeChecksOf,
    },
    guardrails: guardrailsParts(guardrails),
    obligations,
    stopAutomatic: stopAll,
    async endActivity(tx: Tx, userId: bigint) {
      await archiveAll(ownStrategies, tx, userId)
      await stopAll(tx, userId, 'Stopped: the account is closed.')
      await cancelOrders({ bus }, tx, userId)
      await removeAlerts({ bus }, tx, userId)
      await forgetBrowsers(tx, userId)
    },
    deleteFile: (name: string) =>
      files.delete(name).catch((error: unknown) => {
        log.error({ error: String(error) }, 'could not delete a file')
      }),
    checkAge: ageCheck({ takesMinors: config.MINORS_WITH_GUARDIAN, now: () => clock.now() }),
    recordReset: recordFactorReset,
    wakeResets: () => bus.publish('wake', 'resets'),
  }
}
