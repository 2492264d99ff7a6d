import type { Db, Tx } from '../platform/db.ts'
import { notFound, numberOf } from './items.ts'

/** A user by the number in an address, also one whose account has ended. Throws `not_found`. */
export async function findUserOf(db: Db | Tx, unchecked: string): Promise<{ id: bigint; email: string }> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', '=', numberOf(unchecked))
    .executeTakeFirst()
  if (!user) throw notFound()
  return user
}

/** The same, locked until the transaction ends: before everything else of the user. */
export async function lockUserOf(tx: Tx, unchecked: string): Promise<{ id: bigint; email: string }> {
  const user = await tx
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', '=', numberOf(unchecked))
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!user) throw notFound()
  return user
}
