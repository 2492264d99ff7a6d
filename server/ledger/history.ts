import type { Mode } from '#contract/trading.ts'
import { type Usd, ZERO_USD } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import type { Db } from '../platform/db.ts'
import { accountOf } from './account.ts'
import type { Cause, Slot } from './post.ts'

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
  debit: Slot
  credit: Slot
  amount: Usd
  balance_after: Usd
  at: Date
}

const PAGE = 1_000

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
    const { at } = await db
      .selectFrom('transfers')
      .select('at')
      .where('account_id', '=', accountId)
      .where('account_seq', '=', middle)
      .executeTakeFirstOrThrow()
    if (at.getTime() < time) low = middle + 1n
    else high = middle
  }
  return low
}

/** Returns the available balance before the first transfer of a range. */
export async function balanceBefore(db: Db, { accountId, from }: TransferRange): Promise<Usd> {
  const row = await db
    .selectFrom('transfers')
    .select('balance_after')
    .where('account_id', '=', accountId)
    .where('account_seq', '=', from - 1n)
    .executeTakeFirst()
  return row?.balance_after ?? ZERO_USD
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
    next = page.at(-1)!.account_seq + 1n
  }
}
