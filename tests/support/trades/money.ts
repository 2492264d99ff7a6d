import { randomBytes } from 'node:crypto'
import { idSource } from '#kernel/id.ts'
import type { Usd } from '#kernel/money.ts'
import { post } from '#server/ledger/index.ts'
import { type Db, sql, type Tx } from '#server/platform/database/db.ts'

/** Creates ids that collide neither with the server's nor with those of other browser-test processes. */
export const newId = idSource(1_023 - Number(process.env.TEST_PARALLEL_INDEX ?? 0))

/** Writes the rows of a credited card deposit, without notifying the user. */
export async function fund(tx: Tx, userId: bigint, amount: Usd): Promise<void> {
  const id = newId()
  await tx.insertInto('deposits').values({ id, user_id: userId, method: 'card', submitted: amount }).execute()
  await post(tx, {
    userId,
    mode: 'real',
    cause: 'deposit_credit',
    causeId: id,
    parts: [{ debit: 'external_in', credit: 'balance', amount }],
  })
  await tx
    .updateTable('deposits')
    .set({
      status: 'Approved',
      credited: amount,
      decided_at: sql<Date>`clock_timestamp()`,
      provider_reference: `test ${id}`,
    })
    .where('id', '=', id)
    .execute()
}

/** Creates a user with an id chosen by the test. */
export async function openUser(tx: Tx, userId: bigint): Promise<void> {
  const characters = [...userId.toString(26).padStart(8, '0')].map((digit) =>
    String.fromCharCode(65 + Number.parseInt(digit, 26)),
  )
  await sql`
    insert into users (id, email, password_hash, firstname, lastname, referral_code) overriding system value
    values (${userId}, ${`user-${userId}@example.org`}, 'x', 'Ada', 'Byron', ${characters.join('')})`.execute(tx)
}

export const confirmAddress = (db: Db, userId: bigint): Promise<unknown> =>
  db.updateTable('users').set({ email_confirmed_at: sql<Date>`clock_timestamp()` }).where('id', '=', userId).execute()

/** Confirms a user's e-mail and approves an ID for them, if they have none. */
export async function verifyUser(db: Db, userId: bigint): Promise<void> {
  await giveBirthDate(db, userId)
  await confirmAddress(db, userId)
  await db
    .insertInto('identity_checks')
    .values({
      user_id: userId,
      method: 'national_id',
      file: randomBytes(20).toString('hex'),
      status: 'Approved',
      decided_at: sql<Date>`clock_timestamp()`,
    })
    .execute()
}

/** Gives a trader a birth date, which deposits need, unless they have one. Each has another: nobody is taken for another person. */
export const giveBirthDate = (db: Db, userId: bigint) =>
  sql`update users set date_of_birth = date '1930-01-01' + (${userId} % 25000)::int
    where id = ${userId} and date_of_birth is null`.execute(db)
