import { findAnyUser, lockAnyUser } from '../../identity/index.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { notFound, numberOf } from '../actions/items.ts'

/** Returns a user by the number in a URL, including closed accounts. Throws `not_found`. */
export async function findUserOf(db: Db | Tx, unchecked: string): Promise<{ id: bigint; email: string }> {
  const user = await findAnyUser(db, numberOf(unchecked))
  if (!user) throw notFound()
  return user
}

/** Locks a user until the transaction ends, before any other row of theirs. Throws `not_found`. */
export async function lockUserOf(tx: Tx, unchecked: string): Promise<{ id: bigint; email: string }> {
  const user = await lockAnyUser(tx, numberOf(unchecked))
  if (!user) throw notFound()
  return user
}
