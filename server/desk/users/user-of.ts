import { findAnyUser, lockAnyUser } from '../../identity/index.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { notFound } from '../actions/items.ts'

/** Returns a user, including closed accounts. Throws `not_found`. */
export async function findUserOf(db: Db | Tx, userId: bigint): Promise<{ id: bigint; email: string }> {
  const user = await findAnyUser(db, userId)
  if (!user) throw notFound()
  return user
}

/** Locks a user until the transaction ends, before any other row of theirs. Throws `not_found`. */
export async function lockUserOf(tx: Tx, userId: bigint): Promise<{ id: bigint; email: string }> {
  const user = await lockAnyUser(tx, userId)
  if (!user) throw notFound()
  return user
}
