import type { RawBuilder } from 'kysely'
import type { User } from '#contract/account/user.ts'
import { Problem } from '#contract/problem.ts'
import type { PlanValue, TradingPlan } from '#contract/terms.ts'
import type { Usd } from '#kernel/money.ts'
import type { Person } from '../../guardrails/index.ts'
import { balancesSql } from '../../ledger/index.ts'
import type { Db, Snapshot, Tx } from '../../platform/database/db.ts'
import { sql } from '../../platform/database/db.ts'
import { toUser, USER_COLUMNS, type UserRow } from './user.ts'

/** The columns that decide whether a user may sign in. */
export interface AccountRow {
  id: bigint
  email: string
  firstname: string
  trading_plan: TradingPlan
  password_hash: string
  email_confirmed_at: Date | null
  date_of_birth: string | null
  sign_in_locked_at: Date | null
  plan_request: PlanValue | null
}

const ACCOUNT_COLUMNS = [
  'id',
  'email',
  'firstname',
  'trading_plan',
  'password_hash',
  'email_confirmed_at',
  'date_of_birth',
  'sign_in_locked_at',
  'plan_request',
] as const satisfies (keyof AccountRow)[]

/** Returns the open account of an address, ignoring case. */
export const findAccountByEmail = (db: Db | Tx, email: string): Promise<AccountRow | undefined> =>
  db
    .selectFrom('users')
    .select(ACCOUNT_COLUMNS)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/** Returns the open account of an address, locked until the transaction ends. */
export const lockAccountByEmail = (tx: Tx, email: string): Promise<AccountRow | undefined> =>
  tx
    .selectFrom('users')
    .select(ACCOUNT_COLUMNS)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where('ended_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

/**
 * Locks an open account by its number, or by SQL that selects it, until the transaction ends. Every change of
 * credentials takes this lock first.
 */
export const lockAccountById = (tx: Tx, userId: bigint | RawBuilder<bigint>): Promise<AccountRow | undefined> =>
  tx
    .selectFrom('users')
    .select(ACCOUNT_COLUMNS)
    .where('id', '=', userId)
    .where('ended_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()

export const findAccountById = (db: Db | Tx, userId: bigint): Promise<AccountRow | undefined> =>
  db
    .selectFrom('users')
    .select(ACCOUNT_COLUMNS)
    .where('id', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/**
 * Throws `email_not_confirmed`. Only the owner of an address may enrol a second factor: anyone else's would lock the
 * owner out permanently.
 */
export function requireConfirmed(
  account: Pick<AccountRow, 'email_confirmed_at'> | undefined,
  next = 'set up a second factor',
): void {
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  if (account.email_confirmed_at) return
  throw new Problem('email_not_confirmed', `Confirm your e-mail address first, then ${next}.`)
}

export const findUser = (db: Db | Tx, userId: bigint): Promise<UserRow | undefined> =>
  db.selectFrom('users').select(USER_COLUMNS).where('id', '=', userId).where('ended_at', 'is', null).executeTakeFirst()

const SHOWN_USER = `select ${USER_COLUMNS.map((column) => `u.${column}`).join(', ')}, ${balancesSql('u.id')} from users u`

/** Returns an open account as shown on its owner's screens, with its balances, in one query. */
export async function shownUser(db: Db | Tx, userId: bigint): Promise<User | undefined> {
  const { rows } = await sql<UserRow & { balance: Usd; demo_balance: Usd }>`
    ${sql.raw(SHOWN_USER)} where u.id = ${userId} and u.ended_at is null`.execute(db)
  const [row] = rows
  return row && toUser(row, { balance: row.balance, demoBalance: row.demo_balance })
}

/** Returns who an open account belongs to, locked until the transaction ends. */
export async function lockPerson(tx: Tx, userId: bigint): Promise<Person | undefined> {
  if (!(await lockAccountById(tx, userId))) return undefined
  const [person] = await persons(tx, sql`u.id = ${userId}`)
  return person
}

/** Whether a user has confirmed the account's e-mail address; closed accounts included. */
export async function hasConfirmedEmail(tx: Tx, userId: bigint): Promise<boolean> {
  const row = await tx.selectFrom('users').select('email_confirmed_at').where('id', '=', userId).executeTakeFirst()
  return row !== undefined && row.email_confirmed_at !== null
}

/** Selects the users who have, or had before a change, an address with one of these keys. */
const usersOf = (mailboxes: readonly string[]) => sql`
  select id from users where email_key_of(email) = any(${mailboxes}::text[])
  union all select user_id from email_changes where outcome = 'Done' and email_key_of(old_email) = any(${mailboxes}::text[])`

/** Returns the users, closed accounts included, who have, or had before a change, an address with one of these keys. */
export async function usersOfMailboxes(tx: Tx, mailboxes: readonly string[]): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`${usersOf(mailboxes)}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Returns the open accounts with this date of birth, or with one of these mailboxes, now or before a change. */
export const similarAccounts = (
  tx: Tx,
  { mailboxes, dateOfBirth }: { mailboxes: readonly string[]; dateOfBirth: string | null },
): Promise<(Person & { userId: bigint })[]> =>
  persons(tx, sql`u.ended_at is null and (u.date_of_birth = ${dateOfBirth}::date or u.id in (${usersOf(mailboxes)}))`)

async function persons(tx: Tx, which: RawBuilder<unknown>): Promise<(Person & { userId: bigint })[]> {
  const { rows } = await sql<Person & { userId: bigint }>`
    select u.id as "userId", u.email, u.firstname, u.lastname, u.date_of_birth as "dateOfBirth", array(
      select email_key_of(u.email)
      union select email_key_of(c.old_email) from email_changes c where c.user_id = u.id and c.outcome = 'Done'
    ) as mailboxes
    from users u where ${which}`.execute(tx)
  return rows
}

/**
 * Selects the addresses of open accounts, whose numbers `users` selects; with `confirmed`, only those that their owners have
 * confirmed.
 */
export const addressesOf = (
  users: RawBuilder<unknown>,
  { confirmed }: { confirmed: boolean },
): RawBuilder<unknown> => sql`
  select email from users where id in (${users}) and ended_at is null and guest_until is null
    and (${!confirmed} or email_confirmed_at is not null)`

/** Returns the e-mail addresses of these users, each with those that they had before a change, newest first. */
export async function emailsOf(db: Snapshot, ids: readonly bigint[]): Promise<Map<bigint, string[]>> {
  const { rows } = await sql<{ id: bigint; emails: string[] }>`
    select id, array[email] || array(
      select c.old_email from email_changes c where c.user_id = users.id and c.outcome = 'Done' order by c.id desc
    ) as emails from users where id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, emails }) => [id, emails]))
}

/** Returns a user by their number, including closed accounts. */
export const findAnyUser = (db: Db | Tx, userId: bigint): Promise<{ id: bigint; email: string } | undefined> =>
  db.selectFrom('users').select(['id', 'email']).where('id', '=', userId).executeTakeFirst()

/** Returns and locks a user until the transaction ends, including closed accounts. */
export const lockAnyUser = (
  tx: Tx,
  userId: bigint | RawBuilder<bigint>,
): Promise<{ id: bigint; email: string } | undefined> =>
  tx.selectFrom('users').select(['id', 'email']).where('id', '=', userId).forNoKeyUpdate().executeTakeFirst()

export const setPasswordHash = (tx: Tx, userId: bigint, passwordHash: string) =>
  tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', userId).execute()

export const endAccount = (tx: Tx, userId: bigint) =>
  tx.updateTable('users').set({ ended_at: sql`clock_timestamp()` }).where('id', '=', userId).execute()

/** Serializes registrations of an address across nodes until the transaction ends. */
export const lockAddress = (tx: Tx, email: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`register ${email.toLowerCase()}`}, 0))`.execute(tx)

/** Sets a user's plan and pending plan request. The plans room calls it under the lock of `lockAccountById`. */
export const setPlan = (tx: Tx, userId: bigint, plan: { tradingPlan?: PlanValue; pending: PlanValue | null }) =>
  tx
    .updateTable('users')
    .set({
      ...(plan.tradingPlan === undefined ? {} : { trading_plan: plan.tradingPlan }),
      plan_request: plan.pending,
      plan_request_status: plan.pending === null ? null : 'Pending',
      plan_requested_at: plan.pending === null ? null : sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', userId)
    .execute()

/** Ends up to `limit` accounts of guests that nobody has kept in time, and returns their users, locked. */
export async function endGuests(tx: Tx, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    update users set ended_at = clock_timestamp() where id in (
      select id from users where guest_until < (select clock_timestamp()) and guest_until is not null and ended_at is null
      order by guest_until limit ${limit} for no key update skip locked)
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}
