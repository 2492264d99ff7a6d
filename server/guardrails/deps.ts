import type { Usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import type { Notices } from '../notices/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Push } from '../platform/sockets/push.ts'

/** What identifies someone, as they registered. */
export interface Person {
  email: string
  /** The keys of the account's address, and of those that it had before a change. */
  mailboxes: string[]
  firstname: string
  lastname: string
  dateOfBirth: string | null
}

/** The dependencies of this room. `web.ts` provides them; those of rooms above are functions. */
export interface GuardrailsDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  notices: Notices
  push: Pick<Push, 'afterCommit'>
  /** Returns what the user has deposited since a time: credited, or still pending. In cents. */
  depositedSince(db: Db | Tx, userId: bigint, since: Ms): Promise<Usd>
  /** Locks the user's row, which every change of an account takes first. Returns the person; undefined if it's closed. */
  lockPerson(tx: Tx, userId: bigint): Promise<Person | undefined>
  /** Returns the open accounts with this date of birth, or that have or had an address of these mailboxes. */
  similarAccounts(tx: Tx, person: Pick<Person, 'mailboxes' | 'dateOfBirth'>): Promise<(Person & { userId: bigint })[]>
  /** Returns the users, closed accounts included, that have or had an address of these mailboxes. */
  usersOfMailboxes(tx: Tx, mailboxes: readonly string[]): Promise<bigint[]>
  /** Whether the user has ever confirmed the account's e-mail address, closed accounts included. */
  hasConfirmedEmail(tx: Tx, userId: bigint): Promise<boolean>
  /** Whether an operator has ever approved the user's identity, closed accounts included. */
  isIdentityApproved(tx: Tx, userId: bigint): Promise<boolean>
  /** Stops the user's automatic trades with real money. */
  stopAutomatic(tx: Tx, userId: bigint, why: string): Promise<void>
  /** Ends the user's sessions, and a plan request that waits. */
  endSessionsAndRequests(tx: Tx, userId: bigint): Promise<void>
}

/** How someone is recognized in another account. */
export interface PersonKeys {
  emailKey: string
  nameKey: string
  dateOfBirth: string | null
}
