import { ADDRESSES_MAX, type AddressBook, type PayoutAddress } from '#contract/money/address-book.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import type { Coin } from '#contract/terms.ts'
import { publicId } from '#kernel/id.ts'
import { first } from '#kernel/must.ts'
import { lockAccountById } from '../../identity/index.ts'
import { type Db, inTransaction, isUniqueViolation, sql, type Tx } from '../../platform/database/db.ts'
import type { CashierDeps } from '../deps.ts'
import { bankFingerprint, bookEntry, endingOf, sealNumbers } from './bank.ts'
import type { Destination } from './destination.ts'

interface AddressRow {
  id: bigint
  name: string
  coin: Coin | null
  wallet: string | null
  bank_name: string | null
  bank_ending: string | null
  beneficiary: string | null
  hosted_by: string | null
  created_at: Date
  usable_at: Date
}

const COLUMNS = sql`id, name, coin, wallet, bank_name, bank_ending, beneficiary, hosted_by, created_at, usable_at`

const toAddress = (row: AddressRow): PayoutAddress => ({
  id: publicId(row.id),
  name: row.name,
  currency: row.coin,
  wallet: row.wallet ?? `${row.bank_name}, account ending ${row.bank_ending}`,
  beneficiary: row.beneficiary,
  hosted_by: row.hosted_by,
  created_at: row.created_at.toISOString(),
  usable_at: row.usable_at.toISOString(),
})

/** Returns a trader's address book, newest entry first. */
export async function addressBookOf(db: Db | Tx, userId: bigint): Promise<AddressBook> {
  const { rows } = await sql<AddressRow>`
    select ${COLUMNS} from payout_addresses where user_id = ${userId} and removed_at is null
    order by id desc limit ${ADDRESSES_MAX}`.execute(db)
  const guard = await guardOf(db, userId)
  return {
    only: guard !== undefined,
    off_at: guard?.off_at?.toISOString() ?? null,
    addresses: rows.map(toAddress),
  }
}

/** Returns the setting of a trader who withdraws to their book only; undefined if they don't. */
async function guardOf(db: Db | Tx, userId: bigint): Promise<{ off_at: Date | null } | undefined> {
  const { rows } = await sql<{ off_at: Date | null }>`
    select off_at from payout_guards where user_id = ${userId} and coalesce(off_at, 'infinity') > clock_timestamp()`.execute(
    db,
  )
  return rows[0]
}

interface NewAddress {
  userId: bigint
  name: string
  to: Destination
  beneficiary: string | null
  hostedBy: string | null
}

/** Adds an entry and notifies the trader. Throws `already_exists`, `limit_reached`. */
export async function addAddress(deps: CashierDeps, { userId, to, ...entry }: NewAddress): Promise<PayoutAddress> {
  const id = deps.newId()
  const columns =
    to.method === 'crypto'
      ? { method: to.method, coin: to.coin, wallet: to.wallet }
      : {
          method: to.method,
          bank_name: to.bankName,
          bank_ending: endingOf(to),
          bank_sealed: sealNumbers(deps.seal, bookEntry(id), to),
          bank_fingerprint: bankFingerprint(deps.seal, to),
        }
  return inTransaction(deps.db, async (tx) => {
    await requireRoom(tx, userId)
    await tx
      .insertInto('payout_addresses')
      .values({
        id,
        user_id: userId,
        name: entry.name,
        beneficiary: entry.beneficiary,
        hosted_by: entry.hostedBy,
        ...columns,
      })
      .execute()
      .catch((error: unknown) => {
        const isThere =
          isUniqueViolation(error, 'payout_addresses_wallet') || isUniqueViolation(error, 'payout_addresses_bank')
        throw isThere ? inBookAlready() : error
      })
    const { rows } = await sql<AddressRow>`select ${COLUMNS} from payout_addresses where id = ${id}`.execute(tx)
    const address = toAddress(first(rows))
    await deps.notices.write(tx, {
      userId,
      kind: 'security',
      title: 'Your address book has a new entry',
      text: `${address.currency ?? ''} ${address.wallet.slice(-30)} was added. If this wasn't you, remove it and change your password.`.trim(),
      path: '/user/account',
    })
    return address
  })
}

async function requireRoom(tx: Tx, userId: bigint): Promise<void> {
  if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from payout_addresses where user_id = ${userId} and removed_at is null`.execute(tx)
  if (first(rows).n >= ADDRESSES_MAX)
    throw new Problem('limit_reached', `Your address book is full: ${ADDRESSES_MAX} entries. Remove one first.`)
}

/** Removes an entry. Throws `not_found`, also for another trader's. */
export async function removeAddress({ db }: Pick<CashierDeps, 'db'>, userId: bigint, id: bigint): Promise<void> {
  const { rows } = await sql`
    update payout_addresses set removed_at = clock_timestamp()
    where id = ${id} and user_id = ${userId} and removed_at is null returning 1`.execute(db)
  if (rows.length === 0) throw new Problem('not_found', 'Address not found.')
}

/** Sets whether a trader's withdrawals go to their book only. The database delays turning it off by 24 hours. */
export const setBookOnly = (deps: CashierDeps, userId: bigint, only: boolean): Promise<AddressBook> =>
  inTransaction(deps.db, async (tx) => {
    await lockAccountById(tx, userId)
    const before = await guardOf(tx, userId)
    const changes = only ? before?.off_at !== null : before?.off_at === null
    if (only)
      await sql`
        insert into payout_guards (user_id) values (${userId}) on conflict (user_id) do update set off_at = null`.execute(
        tx,
      )
    else if (before)
      await sql`update payout_guards set off_at = clock_timestamp() where user_id = ${userId} and off_at is null`.execute(
        tx,
      )
    const book = await addressBookOf(tx, userId)
    if (changes)
      await deps.notices.write(tx, {
        userId,
        kind: 'security',
        title: only ? 'Withdrawals go to your address book only' : 'Withdrawals to any address are possible again soon',
        text: only
          ? 'New entries can be used after 24 hours.'
          : "In 24 hours, withdrawals can go to addresses that aren't in your book. If this wasn't you, turn the setting on again and change your password.",
        path: '/user/account',
      })
    return book
  })

/**
 * Throws `validation_failed` for a destination that a trader's setting doesn't allow: not in their book, or for less than
 * 24 hours. The database refuses such a withdrawal too.
 */
export async function requireInBook(
  deps: Pick<CashierDeps, 'db' | 'seal'>,
  tx: Db | Tx,
  userId: bigint,
  to: Destination,
) {
  if (!(await guardOf(tx, userId))) return
  const entry = await entryOf(deps, tx, userId, to)
  if (entry?.isUsable) return
  const field = to.method === 'crypto' ? 'wallet' : 'account_number'
  throw fieldProblem(
    field,
    entry
      ? `You can withdraw there from ${entry.usable_at.toISOString().slice(0, 16).replace('T', ' ')} UTC: new entries of your address book wait for 24 hours.`
      : "This isn't in your address book, and you withdraw to your address book only.",
  )
}

/** Returns the entry of a trader's book for a destination. */
export async function entryOf({ seal }: Pick<CashierDeps, 'seal'>, db: Db | Tx, userId: bigint, to: Destination) {
  const there =
    to.method === 'crypto'
      ? sql`coin = ${to.coin} and payout_key(coin, wallet) = payout_key(${to.coin}, ${to.wallet})`
      : sql`bank_fingerprint = ${bankFingerprint(seal, to)}`
  const { rows } = await sql<{ name: string; usable_at: Date; isUsable: boolean }>`
    select name, usable_at, usable_at <= clock_timestamp() as "isUsable" from payout_addresses
    where user_id = ${userId} and removed_at is null and ${there}`.execute(db)
  return rows[0]
}

const inBookAlready = () => new Problem('already_exists', 'This is already in your address book.')
