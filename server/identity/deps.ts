import type { z } from 'zod/mini'
import type { authCalls } from '#contract/account/auth.ts'
import type { Notices } from '../notices/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { UncheckedFile } from '../platform/http/index.ts'
import type { Outbox } from '../platform/mail/index.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Seal } from '../platform/secrets/seal.ts'
import type { IdentityLimits } from './limits.ts'
import type { Passwords } from './passwords/password.ts'
import type { Sessions } from './sessions/sessions.ts'

/** The dependencies of this room. `web.ts` provides them. */
export interface IdentityDeps {
  db: Db
  log: Log
  /** The clock that authenticator codes are checked with. */
  clock: Pick<Clock, 'now'>
  sessions: Sessions
  passwords: Passwords
  limits: IdentityLimits
  brand: string
  /** The base URL of links in e-mails, without a trailing slash. */
  publicUrl(): string
  /** Whether a page of this origin may renew and end sessions. */
  isAcceptedOrigin(origin: string): boolean
  mail: Outbox
  /** Encrypts authenticator secrets. */
  seal: Seal
  notices: Notices
  ledger: {
    openAccounts(tx: Tx, userId: bigint): Promise<void>
    hasRealMovement(tx: Tx, userId: bigint): Promise<boolean>
  }
  /** Whether the user has a deposit, withdrawal or similar request that needs a decision. */
  hasOpenRequest(tx: Tx, userId: bigint): Promise<boolean>
  kyc: {
    /**
     * Accepts an ID upload. `claim` decides the owner in the same transaction (and consumes the onboarding session).
     * `owner` is the expected owner, for checks before the expensive part.
     */
    submit(command: Submission): Promise<void>
    /** Whether the user has a current identity check, pending or decided. */
    hasCheck(tx: Tx, userId: bigint): Promise<boolean>
    /** Ends the identity checks of a closed account, and deletes their images after the commit. */
    endChecksOf(tx: Tx, userId: bigint): Promise<void>
    /** Ends the checks of an account that its owner closes. Their images stay until their period is over. */
    supersedeChecksOf(tx: Tx, userId: bigint): Promise<unknown>
  }
  guardrails: {
    /** Carries self-exclusions of the same person over to this account. Called when its identity is new or changes. */
    carryOver(tx: Tx, userId: bigint): Promise<void>
    /** Carries self-exclusions over between this account and others of its new address. */
    mailboxChanged(tx: Tx, userId: bigint): Promise<void>
  }
  /** What a trader has to settle before their account can be closed, as sentences. */
  obligations(db: Db | Tx, userId: bigint): Promise<string[]>
  /** Stops the user's automatic trades, with real money and in demo. */
  stopAutomatic(tx: Tx, userId: bigint, why: string): Promise<void>
  /**
   * Ends what a trader has set up and would still act after their account is closed: strategies, automatic trades,
   * orders that wait, alerts, push messages. The caller has the lock of the user's row.
   */
  endActivity(tx: Tx, userId: bigint): Promise<void>
  /** Deletes a stored file. A failure is logged: nothing refers to it any more. */
  deleteFile(name: string): Promise<void>
  /** Throws when the trader is too young for this installation. */
  checkAge(dateOfBirth: string): void
  /** Audits the outcome of a second factor reset: the trader stopped it, or it took effect. */
  recordReset(tx: Tx, reset: { userId: bigint; id: bigint; action: 'stop' | 'done' }): Promise<void>
  /** Called after a password reset was requested, so that it is processed at once. */
  wakeResets(): void
}

export interface Submission {
  method: z.infer<(typeof authCalls)['POST /users/user-identification']['form']>['method']
  file: UncheckedFile
  owner: bigint
  claim(tx: Tx): Promise<bigint>
}
