import type { z } from 'zod/mini'
import type { authCalls } from '#contract/auth.ts'
import type { Usd } from '#kernel/money.ts'
import type { Notices } from '../notices/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { UncheckedFile } from '../platform/http/index.ts'
import type { Log } from '../platform/log.ts'
import type { Mail } from '../platform/mail/index.ts'
import type { Seal } from '../platform/seal.ts'
import type { IdentityLimits } from './limits.ts'
import type { Sessions } from './sessions.ts'

/** Everything that this room asks of others. `main.ts` fills it in. */
export interface IdentityDeps {
  db: Db
  log: Log
  /** What the codes of authenticator apps are held against. */
  clock: Pick<Clock, 'now'>
  sessions: Sessions
  limits: IdentityLimits
  brand: string
  /** The address that links in letters begin with, without a slash at the end. */
  publicUrl(): string
  /** Whether a page of this origin may renew and end sessions. */
  isAcceptedOrigin(origin: string): boolean
  mail: {
    enqueue(tx: Tx, mail: Mail): Promise<void>
    /** Told after a commit that enqueued something. */
    wake(): void
  }
  /** Keeps the secrets of authenticator apps. */
  seal: Seal
  notices: Notices
  ledger: {
    openAccounts(tx: Tx, userId: bigint): Promise<void>
    balancesOf(db: Db | Tx, userId: bigint): Promise<{ balance: Usd; demoBalance: Usd }>
    hasRealMovement(tx: Tx, userId: bigint): Promise<boolean>
  }
  /** Whether a deposit, a withdrawal or the like of the user waits for a decision. */
  hasOpenRequest(tx: Tx, userId: bigint): Promise<boolean>
  kyc: {
    /**
     * Takes in an ID. `claim` decides in the same transaction whose it is (and uses the onboarding session up).
     * `owner` is who it will be, for what can be refused before the costly part.
     */
    handIn(command: HandIn): Promise<void>
    /** Whether the user has an identity check that counts: it waits, or was decided. */
    hasCheck(tx: Tx, userId: bigint): Promise<boolean>
    /** Ends what an ended account handed in; what it answers is called after the commit and destroys the pictures. */
    endChecksOf(tx: Tx, userId: bigint): Promise<() => Promise<void>>
  }
  /** Throws where the trader is too young for this installation. */
  checkAge(dateOfBirth: string): void
  /** Writes what became of a second factor reset into the audit log: the trader stopped it, or it took effect. */
  recordReset(tx: Tx, reset: { userId: bigint; id: bigint; action: 'stop' | 'done' }): Promise<void>
  /** Told after a reset was asked for, so that it is worked on at once. */
  wakeResets(): void
}

export interface HandIn {
  method: z.infer<(typeof authCalls)['POST /users/user-identification']['form']>['method']
  file: UncheckedFile
  owner: bigint
  claim(tx: Tx): Promise<bigint>
}
