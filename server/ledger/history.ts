import type { Mode } from '#contract/trading/trading.ts'
import { add, subtract, type Usd, ZERO_USD } from '#kernel/money.ts'
import { last } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Db, sql } from '../platform/database/db.ts'
import { accountOf } from './account.ts'
import type { Cause, LedgerAccount } from './post.ts'

/** A range of an account's transfer numbers, both ends included. */
export interface TransferRange {
  accountId: bigint
  from: bigint
  to: bigint
}

export interface Transfer {
  cause: Cause
  cause_id: bigint
  account_seq: bigint
  debit: LedgerAccount
  credit: LedgerAccount
  amount: Usd
  balance_after: Usd
  at: Date
}

const PAGE = 1_000

/** Whether an account holds what its newest movement left. */
export async function holdsNewest(db: Db, accountId: bigint): Promise<boolean> {
  const { rows } = await sql<{ agrees: boolean }>`
    select a.seq = coalesce(t.account_seq, 0) and a.balance = coalesce(t.balance_after, 0) as agrees from accounts a
    left join lateral (
      select account_seq, balance_after from transfers where account_id = a.id order by account_seq desc limit 1
    ) t on true
    where a.id = ${accountId}`.execute(db)
  return rows[0]?.agrees === true
}

/** Returns the parts of an account's movements with these causes and this cause id, in order. */
export async function movementsOf(
  db: Db,
  accountId: bigint,
  causes: readonly Cause[],
  causeIds: readonly bigint[],
): Promise<Transfer[]> {
  return db
    .selectFrom('transfers')
    .select(['cause', 'cause_id', 'account_seq', 'debit', 'credit', 'amount', 'balance_after', 'at'])
    .where('cause', 'in', causes)
    .where('cause_id', 'in', causeIds)
    .where('account_id', '=', accountId)
    .orderBy('account_seq')
    .execute()
}

/**
 * Returns the range of transfers from one time (inclusive) to another (exclusive). Uses binary search, because transfers
 * are numbered in time order.
 */
export async function transfersBetween(db: Db, userId: bigint, mode: Mode, from: Ms, to: Ms): Promise<TransferRange> {
  const accountId = accountOf(userId, mode)
  const first = await firstSince(db, accountId, from)
  const afterLast = await firstSince(db, accountId, to)
  return { accountId, from: first, to: afterLast - 1n }
}

async function firstSince(db: Db, accountId: bigint, time: Ms): Promise<bigint> {
  const { seq } = await db.selectFrom('accounts').select('seq').where('id', '=', accountId).executeTakeFirstOrThrow()
  let low = 1n
  let high = seq + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    // Archived movements leave gaps, but the newest movement always stays.
    const next = await firstFrom(db, accountId, middle)
    if (next && next.at.getTime() < time) low = next.account_seq + 1n
    else high = middle
  }
  return low
}

/** Returns an account's first movement with this number or a later one. */
const firstFrom = (db: Db, accountId: bigint, seq: bigint) =>
  db
    .selectFrom('transfers')
    .select(['account_seq', 'at', 'debit', 'credit', 'amount', 'balance_after'])
    .where('account_id', '=', accountId)
    .where('account_seq', '>=', seq)
    .orderBy('account_seq')
    .limit(1)
    .executeTakeFirst()

/** Returns the available balance before the first transfer of a range, whose predecessor may be archived. */
export async function balanceBefore(db: Db, { accountId, from }: TransferRange): Promise<Usd> {
  const next = await firstFrom(db, accountId, from)
  if (next) {
    if (next.credit === 'balance') return subtract(next.balance_after, next.amount)
    return next.debit === 'balance' ? add(next.balance_after, next.amount) : next.balance_after
  }
  // Nothing follows, so the movement before is the account's newest, which is never archived.
  const newest = await db
    .selectFrom('transfers')
    .select('balance_after')
    .where('account_id', '=', accountId)
    .where('account_seq', '<', from)
    .orderBy('account_seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.balance_after ?? ZERO_USD
}

/** Yields the transfers of a range in pages, oldest first, so that memory use doesn't grow with the range. */
export async function* transferPages(db: Db, { accountId, from, to }: TransferRange): AsyncGenerator<Transfer[]> {
  for (let next = from; next <= to; ) {
    const page = await db
      .selectFrom('transfers')
      .select(['cause', 'cause_id', 'account_seq', 'debit', 'credit', 'amount', 'balance_after', 'at'])
      .where('account_id', '=', accountId)
      .where('account_seq', '>=', next)
      .where('account_seq', '<=', to)
      .orderBy('account_seq')
      .limit(PAGE)
      .execute()
    if (page.length > 0) yield page
    if (page.length < PAGE) return
    next = last(page).account_seq + 1n
  }
}
