import { publicId } from '#kernel/id.ts'
import { add, dollars, subtract, type Usd, ZERO_USD } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { type Cause, type Transfer, type TransferRange, transferPages } from '../ledger/index.ts'
import type { Db } from '../platform/database/db.ts'
import { type DetailDeps, type Details, detailsOf } from './details.ts'

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

/** Yields the lines of a range, oldest first. Reads page by page, so that memory use doesn't grow with the range. */
export async function* linesOf(
  deps: DetailDeps & { db: Db },
  userId: bigint,
  range: TransferRange,
): AsyncGenerator<Line> {
  let parts: Transfer[] = []
  let details: Details | undefined
  for await (const page of transferPages(deps.db, range)) {
    const ofPage = await detailsOf(deps, userId, page)
    for (const row of page) {
      const [first] = parts
      if (first && (first.cause !== row.cause || first.cause_id !== row.cause_id)) {
        yield toLine(parts, must(details))
        parts = []
      }
      parts.push(row)
      details = ofPage
    }
  }
  if (parts.length > 0) yield toLine(parts, must(details))
}

function toLine(parts: Transfer[], details: Details): Line {
  const last = must(parts.at(-1))
  let amount = ZERO_USD
  let repaid = ZERO_USD
  for (const part of parts) {
    if (part.credit === 'balance') amount = add(amount, part.amount)
    if (part.debit === 'balance') amount = subtract(amount, part.amount)
    if (part.debit === 'owed' || part.credit === 'owed') repaid = add(repaid, part.amount)
  }
  return {
    at: last.at.getTime(),
    ...WORDS[last.cause](details(last) ?? '', amount, repaid),
    reference: publicId(last.cause_id),
    amount,
    balance: last.balance_after,
  }
}

const WORDS: Record<Cause, (detail: string, amount: Usd, owed: Usd) => { type: string; description: string }> = {
  trade_open: (detail) => ({
    type: 'trade',
    description: `Stake on ${detail.replace(/ (Won|Lost|Draw|Void|Sold)$/, '')}`,
  }),
  trade_settle: (detail) => ({ type: 'trade', description: `Settled: ${detail}` }),
  trade_sale: (detail) => ({ type: 'trade', description: `Sold early: ${detail.replace(/ Sold$/, '')}` }),
  trade_remedy: (detail, _, owed) => ({
    type: 'remedy',
    description: `Stake returned by a ruling: ${detail}${owed > 0n ? ` (${dollars(owed)} of it repaid a debt)` : ''}`,
  }),
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
