import { Problem } from '#contract/problem.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { assert } from '#kernel/assert.ts'
import { add, negate, smaller, subtract, type Usd } from '#kernel/money.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { accountOf } from './account.ts'

type Transfer = DB['transfers']
export type LedgerAccount = Transfer['debit']
export type Cause = Transfer['cause']

/** One part of a movement: `amount` from one account to another. */
export interface Part {
  debit: LedgerAccount
  credit: LedgerAccount
  amount: Usd
}

export interface Movement {
  userId: bigint
  mode: Mode
  cause: Cause
  causeId: bigint
  parts: readonly Part[]
}

/** A trader's accounts of one mode, in cents. */
interface Holdings {
  balance: Usd
  escrow: Usd
  hold: Usd
  owed: Usd
}

const OWN = ['balance', 'escrow', 'hold', 'owed'] as const
const isOwn = (account: LedgerAccount): account is keyof Holdings => (OWN as readonly string[]).includes(account)

/** Reads a trader's balances of one mode. */
export const holdingsOf = (db: Db | Tx, userId: bigint, mode: Mode): Promise<Holdings> =>
  db
    .selectFrom('accounts')
    .select(['balance', 'escrow', 'hold', 'owed'])
    .where('id', '=', accountOf(userId, mode))
    .executeTakeFirstOrThrow()

/** Takes the lock that every movement on this account needs, and reads its balances. */
export async function lockAccount(tx: Tx, userId: bigint, mode: Mode): Promise<Holdings> {
  const row = await tx
    .selectFrom('accounts')
    .select(['balance', 'escrow', 'hold', 'owed'])
    .where('id', '=', accountOf(userId, mode))
    .forNoKeyUpdate()
    .executeTakeFirst()
  assert(row, `user ${userId} has a ${mode} account`)
  return row
}

/** Splits each part that credits the balance from outside the account: what is owed (0 or below) is repaid first. */
function debtFirst(parts: readonly Part[], owed: Usd): Part[] {
  let debt = negate(owed)
  return parts.flatMap((part) => {
    if (part.credit !== 'balance' || isOwn(part.debit)) return [part]
    const repaid = smaller(part.amount, debt)
    debt = subtract(debt, repaid)
    return [
      { ...part, credit: 'owed' as const, amount: repaid },
      { ...part, amount: subtract(part.amount, repaid) },
    ]
  })
}

/**
 * Posts one movement within the caller's transaction and returns the account's balances after it. Parts of zero are not
 * written. Money that reaches a trader in debt repays the debt: directly if it comes from outside the account, else in
 * the same statement, as `debt_repayment`. Rejects with `insufficient_balance` if the trader's balance doesn't cover the
 * movement. For one movement at a time; settlement, sales and returned stakes post theirs in sets (`post-parts.sql.ts`), and so does
 * acceptance (`accept.sql.ts` in server/trading), whose stakes repay nothing. `locked`: what `lockAccount` returned in
 * this transaction, if the caller needed it.
 */
export async function post(tx: Tx, movement: Movement, locked?: Holdings): Promise<Holdings> {
  const { userId, mode, cause, causeId } = movement
  const before = locked ?? (await lockAccount(tx, userId, mode))
  const parts = debtFirst(movement.parts, before.owed).filter((part) => part.amount !== 0n)
  if (parts.length === 0) return before

  const after: Holdings = { balance: before.balance, escrow: before.escrow, hold: before.hold, owed: before.owed }
  const written = parts.map((part, index) => {
    const { debit, credit, amount } = part
    assert(amount > 0n, 'a movement has a direction; its amount is positive')
    if (isOwn(debit)) after[debit] = subtract(after[debit], amount)
    if (isOwn(credit)) after[credit] = add(after[credit], amount)
    return { ...part, cause, part: index + 1, balance: after.balance }
  })
  if (after.balance < 0n) throw new Problem('insufficient_balance', 'Insufficient balance')

  // Money that the account itself released repays what is owed.
  const repaid = smaller(after.balance, negate(after.owed))
  if (repaid > 0n) {
    after.balance = subtract(after.balance, repaid)
    after.owed = add(after.owed, repaid)
    const repayment = { debit: 'balance', credit: 'owed', amount: repaid } as const
    written.push({ ...repayment, cause: 'debt_repayment', part: 1, balance: after.balance })
  }

  await sql`
    with moved as (
      update accounts set balance = ${after.balance}, escrow = ${after.escrow}, hold = ${after.hold}, owed = ${after.owed},
        seq = seq + ${written.length}, last_at = greatest(clock_timestamp(), last_at)
      where id = ${accountOf(userId, mode)} returning id, mode, seq, last_at
    )
    insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
    select p.cause, ${causeId}, p.part, moved.id, moved.mode, p.debit, p.credit, p.amount,
      moved.seq - ${written.length} + p.ordinal, p.balance, moved.last_at
    from moved, unnest(
      ${written.map((part) => part.cause)}::cause[], ${written.map((part) => part.part)}::smallint[],
      ${written.map((part) => part.debit)}::slot[], ${written.map((part) => part.credit)}::slot[],
      ${written.map((part) => part.amount)}::bigint[], ${written.map((part) => part.balance)}::bigint[]
    ) with ordinality as p(cause, part, debit, credit, amount, balance, ordinal)`.execute(tx)
  return after
}
