import { publicId } from '#kernel/id.ts'
import { dollars, type Usd, usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'
import { accountOf, type Book, type Cause } from '../ledger/index.ts'
import { type Db, sql } from '../platform/db.ts'

/** A movement as a statement shows it: its effect on the available balance. */
export interface Line {
  at: Ms
  type: string
  /** The public number of the item that caused it. */
  reference: string
  description: string
  /** Signed; zero when only held money moved. */
  amount: Usd
  balance: Usd
}

/** A range of an account's movement numbers, both ends included. */
export interface Range {
  accountId: bigint
  from: bigint
  to: bigint
}

interface TransferRow {
  cause: Cause
  cause_id: bigint
  account_seq: bigint
  debit: string
  credit: string
  amount: bigint
  balance_after: bigint
  at: Date
  /** Details of the trade, plan, request or adjustment that caused it. */
  detail: string | null
}

const PAGE = 1_000

/**
 * Returns the range of movements from one time (inclusive) to another (exclusive). Uses binary search, because
 * movements are numbered in time order.
 */
export async function movementsBetween(db: Db, userId: bigint, book: Book, from: Ms, to: Ms): Promise<Range> {
  const accountId = accountOf(userId, book)
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

/** Returns the available balance before the first movement of a range. */
export async function balanceBefore(db: Db, { accountId, from }: Range): Promise<Usd> {
  const row = await db
    .selectFrom('transfers')
    .select('balance_after')
    .where('account_id', '=', accountId)
    .where('account_seq', '=', from - 1n)
    .executeTakeFirst()
  return usd(row?.balance_after ?? 0n)
}

/** Yields the lines of a range, oldest first. Reads page by page, so that memory use doesn't grow with the range. */
export async function* linesOf(db: Db, range: Range): AsyncGenerator<Line> {
  let parts: TransferRow[] = []
  for await (const row of transfersOf(db, range)) {
    const [first] = parts
    if (first && (first.cause !== row.cause || first.cause_id !== row.cause_id)) {
      yield toLine(parts)
      parts = []
    }
    parts.push(row)
  }
  if (parts.length > 0) yield toLine(parts)
}

async function* transfersOf(db: Db, { accountId, from, to }: Range): AsyncGenerator<TransferRow> {
  for (let next = from; next <= to; ) {
    const { rows } = await sql<TransferRow>`
      select t.cause, t.cause_id, t.account_seq, t.debit, t.credit, t.amount, t.balance_after, t.at,
        case
          when t.cause in ('trade_open', 'trade_settle') then (
            select concat_ws(' ', i.symbol, x.trade_mode, nullif(x.status::text, 'Pending')) from trades x join instruments i on i.id = x.symbol_id where x.id = t.cause_id)
          when t.cause = 'plan_charge' then (select split_part(p.plan, '-', 1) from plan_charges p where p.id = t.cause_id)
          when t.cause in ('withdraw_hold', 'withdraw_paid', 'withdraw_release') then (
            select coalesce(w.coin || ' wallet', 'bank account ending ' || w.bank_ending) from withdrawals w where w.id = t.cause_id)
          when t.cause = 'deposit_credit' then (select coalesce(d.coin::text, 'card') from deposits d where d.id = t.cause_id)
          when t.cause = 'adjust' then (select x.reason from adjustments x where x.id = t.cause_id and x.user_id = t.account_id / 2)
        end as detail
      from transfers t
      where t.account_id = ${accountId} and t.account_seq >= ${next} and t.account_seq <= ${to}
      order by t.account_seq limit ${PAGE}`.execute(db)
    yield* rows
    if (rows.length < PAGE) return
    next = rows.at(-1)!.account_seq + 1n
  }
}

function toLine(parts: TransferRow[]): Line {
  const last = parts.at(-1)!
  let amount = 0n
  let repaid = 0n
  for (const part of parts) {
    if (part.credit === 'balance') amount += part.amount
    if (part.debit === 'balance') amount -= part.amount
    if (part.debit === 'owed' || part.credit === 'owed') repaid += part.amount
  }
  return {
    at: last.at.getTime(),
    ...WORDS[last.cause](last.detail ?? '', usd(amount), usd(repaid)),
    reference: publicId(last.cause_id),
    amount: usd(amount),
    balance: usd(last.balance_after),
  }
}

const WORDS: Record<Cause, (detail: string, amount: Usd, owed: Usd) => { type: string; description: string }> = {
  trade_open: (detail) => ({ type: 'trade', description: `Stake on ${detail.split(' ').slice(0, 2).join(' ')}` }),
  trade_settle: (detail) => ({ type: 'trade', description: `Settled: ${detail}` }),
  deposit_credit: (detail, _, owed) => ({
    type: 'deposit',
    description: `Deposit by ${detail}${owed > 0n ? ` (${dollars(owed)} of it repaid a debt)` : ''}`,
  }),
  deposit_reversal: (_detail, _amount, owed) => ({
    type: 'reversal',
    description: `Deposit reversed${owed > 0n ? ` (${dollars(owed)} of it is owed)` : ''}`,
  }),
  deposit_reinstatement: (_detail, _amount, owed) => ({
    type: 'reinstatement',
    description: `Reversed deposit credited again${owed > 0n ? ` (${dollars(owed)} of it repaid a debt)` : ''}`,
  }),
  debt_repayment: () => ({ type: 'debt', description: 'Debt repaid' }),
  withdraw_hold: (detail) => ({ type: 'withdrawal', description: `Withdrawal to ${detail}: held` }),
  withdraw_release: (detail) => ({ type: 'withdrawal', description: `Withdrawal to ${detail}: returned` }),
  withdraw_paid: (detail) => ({
    type: 'withdrawal',
    description: `Withdrawal to ${detail}: paid`,
  }),
  plan_charge: (detail) => ({ type: 'plan', description: `${detail} plan` }),
  adjust: (reason) => ({ type: 'adjustment', description: reason === '' ? 'Adjustment' : `Adjustment: ${reason}` }),
  demo_grant: () => ({ type: 'demo', description: 'Demo balance' }),
}
