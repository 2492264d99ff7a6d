import { randomInt } from 'node:crypto'
import { Problem } from '#contract/problem.ts'
import { sql, type Tx } from '../../platform/database/db.ts'
import { hashOf } from '../passwords/secret.ts'

/** Ten single-use codes for a lost phone. */
const COUNT = 10
/** Of an alphabet without look-alikes: 138 bits, too many to guess even from their plain hash. */
const LENGTH = 28
/** Of the first codes. They work until they are replaced. */
const FORMER_LENGTH = 12
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const newCode = () =>
  Array.from(
    { length: LENGTH },
    (_, i) => (i > 0 && i % 4 === 0 ? '-' : '') + ALPHABET[randomInt(ALPHABET.length)],
  ).join('')
const plain = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Generates new codes and revokes the previous ones. Only their hashes are stored. */
export async function makeRecoveryCodes(tx: Tx, userId: bigint): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode)
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, hash: hashOf(plain(code)) })))
    .execute()
  return codes
}

/** Generates codes for an account that has none, otherwise returns an empty list. */
export async function firstRecoveryCodes(tx: Tx, userId: bigint): Promise<string[]> {
  const some = await tx
    .selectFrom('recovery_codes')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return some ? [] : makeRecoveryCodes(tx, userId)
}

/** Consumes a code: one of several concurrent calls succeeds. */
export async function spendRecoveryCode(tx: Tx, userId: bigint, code: string): Promise<boolean> {
  if (![LENGTH, FORMER_LENGTH].includes(plain(code).length)) return false
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: sql<Date>`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('hash', '=', hashOf(plain(code)))
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const wrongCode = () =>
  new Problem('invalid_credentials', 'That code is wrong or was already used.', {
    errors: [{ field: 'code', message: 'is wrong or was already used' }],
  })
