import { randomInt } from 'node:crypto'
import { Problem } from '#contract/problem.ts'
import { sql, type Tx } from '../platform/db.ts'
import { hashOf } from './secret.ts'

/** Ten codes for the day the phone is gone: twelve characters without look-alikes, each good once. */
const COUNT = 10
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const newCode = () =>
  Array.from({ length: 12 }, (_, i) => (i > 0 && i % 4 === 0 ? '-' : '') + ALPHABET[randomInt(ALPHABET.length)]).join(
    '',
  )
const plain = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Makes new codes; those before are worthless. Only their hashes are stored. */
export async function makeRecoveryCodes(tx: Tx, userId: bigint): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newCode)
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, hash: hashOf(plain(code)) })))
    .execute()
  return codes
}

/** Codes for an account that has none; an empty list where there are some. */
export async function firstRecoveryCodes(tx: Tx, userId: bigint): Promise<string[]> {
  const some = await tx
    .selectFrom('recovery_codes')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return some ? [] : makeRecoveryCodes(tx, userId)
}

/** Uses a code up; of any number at once one does. */
export async function spendRecoveryCode(tx: Tx, userId: bigint, code: string): Promise<boolean> {
  if (plain(code).length !== 12) return false
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
  new Problem('invalid_credentials', 'The code is wrong, or was used before.', {
    errors: [{ field: 'code', message: 'is wrong, or was used before' }],
  })
