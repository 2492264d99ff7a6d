import type { DecideDeps } from '../cashier/index.ts'
import type { FactorResetDeps, Sessions } from '../identity/index.ts'
import type { KycDeps } from '../kyc/index.ts'
import type { Notices } from '../notices/index.ts'
import type { PlansDeps } from '../plans/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Files } from '../platform/files/index.ts'
import type { Log } from '../platform/log.ts'
import type { Mail } from '../platform/mail/index.ts'
import type { Seal } from '../platform/seal.ts'
import type { Prices } from '../prices/index.ts'
import type { Chat } from '../support/index.ts'
import type { DeskLimits } from './limits.ts'

/** Everything that this room asks of others. `app.ts` fills it in. */
export interface DeskDeps {
  db: Db
  /** The same database, to read lists from. */
  reads: Db
  log: Log
  clock: Clock
  brand: string
  publicUrl(): string
  limits: DeskLimits
  /** Keeps the secrets of the operators' authenticators. */
  seal: Seal
  files: Files
  mail: { enqueue(tx: Tx, mail: Mail): Promise<void>; wake(): void }
  notices: Notices
  chat: Chat
  /** Ends traders' sessions and sockets where a sign-in lock asks for it. */
  sessions: Pick<Sessions, 'announceEnd'>
  /** Removes a trader's second factor, once two operators decided it. */
  identity: FactorResetDeps
  kyc: KycDeps
  plans: PlansDeps
  cashier: DecideDeps
  /** Opens bank numbers. */
  bankSeal: Seal
  prices: Pick<Prices, 'tape' | 'instruments' | 'health' | 'refused'>
  /** Told after the commit: a trader's balances changed. */
  balanceChanged(userId: bigint): void
  /** Told after the commit: operators voided a trade. */
  tradeVoided(tradeId: bigint, userId: bigint): void
}
