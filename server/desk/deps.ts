import type { DecideDeps } from '../cashier/index.ts'
import type { ComplaintsDeps } from '../complaints/index.ts'
import type { GuardrailsDeps } from '../guardrails/index.ts'
import type { FactorResetDeps, Passwords, Sessions } from '../identity/index.ts'
import type { KycDeps } from '../kyc/index.ts'
import type { BalancePush } from '../ledger/index.ts'
import type { Levers } from '../levers/index.ts'
import type { Notices } from '../notices/index.ts'
import type { OwnStrategiesDeps } from '../own-strategies/index.ts'
import type { PlansDeps } from '../plans/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Files } from '../platform/files/index.ts'
import type { Outbox } from '../platform/mail/index.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Seal } from '../platform/secrets/seal.ts'
import type { PriceLists } from '../price-lists/index.ts'
import type { Prices, RecordedDay } from '../prices/index.ts'
import type { Chat } from '../support/index.ts'
import type { Trading } from '../trading/index.ts'
import type { DeskLimits } from './access/limits.ts'

/** The dependencies of the desk. `web.ts` provides them. */
export interface DeskDeps {
  db: Db
  /** The primary, on connections for reading lists. Calls with `mayLag` use their own `reads` instead. */
  reads: Db
  log: Log
  clock: Clock
  brand: string
  /** Play capital counts for nothing. */
  production: boolean
  publicUrl(): string
  limits: DeskLimits
  passwords: Passwords
  /** Encrypts the operators' authenticator secrets. */
  seal: Seal
  files: Files
  mail: Outbox
  notices: Notices
  chat: Chat
  /** Ends a trader's sessions and sockets after a sign-in lock. */
  sessions: Pick<Sessions, 'end'>
  /** Removes a trader's second factor after two operators approve. */
  identity: FactorResetDeps
  kyc: KycDeps
  guardrails: GuardrailsDeps
  plans: PlansDeps
  cashier: DecideDeps
  complaints: Pick<ComplaintsDeps, 'notices' | 'wake'>
  /** Decrypts bank account numbers. */
  bankSeal: Seal
  /** Stops those who follow a strategy that an operator withdraws. */
  ownStrategies: Pick<OwnStrategiesDeps, 'stopFollowers'>
  levers: Pick<Levers, 'changed'>
  priceLists: Pick<PriceLists, 'changed'>
  /** Recorded days, newest first. */
  recordings(): Promise<readonly RecordedDay[]>
  prices: Pick<
    Prices,
    | 'tape'
    | 'instruments'
    | 'preview'
    | 'health'
    | 'note'
    | 'reports'
    | 'symbolsLostWithout'
    | 'symbolsOfVenue'
    | 'operatorsChanged'
  >
  balances: Pick<BalancePush, 'afterCommit'>
  trading: Pick<Trading, 'pushVoided' | 'setLimits'>
}
