import type { DepositStatus, TradeStatus, WithdrawalStatus } from '#contract/terms.ts'
import type { ComplaintEvidence } from '#contract/trading/complaints.ts'
import { dollars, type Usd, usd } from '#kernel/money.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import type { Receipt, ReceiptTick } from '#packages/verify/verify.js'
import type { Transfer } from '../ledger/index.ts'

/** What is attached to a complaint. It is verified if every step is. */
export type Evidence = Pick<ComplaintEvidence, 'facts' | 'steps'>
export type EvidenceStep = Evidence['steps'][number]

type Moved = Pick<Transfer, 'cause' | 'debit' | 'credit' | 'amount'>

const total = (movements: readonly Moved[], matches: (one: Moved) => boolean): Usd =>
  usd(movements.filter(matches).reduce((sum, { amount }) => sum + amount, 0n))

/** Checks that the ledger took a trade's stake once, and paid what its result says. */
export function checkTradeMoney(
  trade: { status: TradeStatus; stake: Usd; payout: Usd | null },
  movements: readonly Moved[],
): EvidenceStep {
  const taken = total(movements, (one) => one.cause === 'trade_open' && one.credit === 'escrow')
  const ended = trade.status === 'Sold' ? 'trade_sale' : 'trade_settle'
  const released = total(movements, (one) => one.cause === ended && one.debit === 'escrow')
  const paid = total(movements, (one) => one.cause === ended && one.credit === 'balance')
  const ok = taken === trade.stake && released === trade.stake && paid === trade.payout
  return {
    name: 'Ledger',
    ok,
    says: ok
      ? `The ledger took ${dollars(taken)} once and paid ${dollars(paid)}, as the result says.`
      : `The ledger took ${dollars(taken)}, released ${dollars(released)} and paid ${dollars(paid)}; the trade says ${dollars(trade.stake)} and ${dollars(trade.payout ?? usd(0n))}.`,
  }
}

/** Checks that the ledger credited a deposit as its status says. */
export function checkDepositMoney(
  deposit: { status: DepositStatus; credited: Usd | null },
  movements: readonly Moved[],
): EvidenceStep {
  const credited = total(movements, (one) => one.cause === 'deposit_credit')
  const expected = deposit.status === 'Approved' ? (deposit.credited ?? usd(0n)) : usd(0n)
  const ok = credited === expected
  return {
    name: 'Ledger',
    ok,
    says: ok
      ? credited === 0n
        ? 'The ledger has credited nothing yet, as the status says.'
        : `The ledger credited ${dollars(credited)} once, as the status says.`
      : `The ledger credited ${dollars(credited)}, but the deposit says ${dollars(expected)}.`,
  }
}

/** Checks that a withdrawal's money is where its status says: held, paid out or returned. */
export function checkWithdrawalMoney(
  withdrawal: { status: WithdrawalStatus; amount: Usd },
  movements: readonly Moved[],
): EvidenceStep {
  const { status, amount } = withdrawal
  const held = total(movements, (one) => one.cause === 'withdraw_hold')
  const paid = total(movements, (one) => one.cause === 'withdraw_paid')
  const returned = total(movements, (one) => one.cause === 'withdraw_release')
  const isReturned = status === 'Rejected' || status === 'Cancelled'
  const ok = held === amount && paid === (status === 'Paid' ? amount : 0n) && returned === (isReturned ? amount : 0n)
  return {
    name: 'Ledger',
    ok,
    says: ok
      ? `${dollars(amount)} ${status === 'Paid' ? 'was paid out' : isReturned ? 'was returned' : 'is on hold'}, as the status says.`
      : `The ledger held ${dollars(held)}, paid ${dollars(paid)} and returned ${dollars(returned)}, but the withdrawal of ${dollars(amount)} is ${status}.`,
  }
}

/** Checks that an account holds what its newest movement left. */
export const checkAccount = (agrees: boolean): EvidenceStep => ({
  name: 'Account',
  ok: agrees,
  says: agrees ? 'The balance is what the newest movement left.' : 'The balance is not what the newest movement left.',
})

/** Says whether the tape gives the recorded result. */
export const checkTape = (differs: string | undefined): EvidenceStep => ({
  name: 'Tape',
  ok: differs === undefined,
  says:
    differs === undefined
      ? 'Computed again from the tape, the result is the same.'
      : `Computed again from the tape, the trade ${differs}.`,
})

/** Reports the result of the receipt verifier. */
export function checkReceipt(steps: readonly { title: string; ok: boolean; says: string }[]): EvidenceStep {
  const failed = steps.find(({ ok }) => !ok)
  return {
    name: 'Receipt',
    ok: failed === undefined,
    says: failed
      ? `${failed.title}: ${failed.says}`
      : `The signed receipt passes all ${steps.length} steps of the public verifier.`,
  }
}

const LABELS = [
  ['before_entry', 'Price before the trade'],
  ['entry', 'Entry price'],
  ['change', 'First price of another source'],
  ['exit', 'Exit price'],
  ['after_exit', 'Price after the end'],
] as const satisfies readonly (readonly [keyof Receipt['ticks'], string])[]

/** Returns the prices that decided a trade with their neighbours, and who signed them. */
export function receiptFacts({ ticks, settlement }: Pick<Receipt, 'ticks' | 'settlement'>): Evidence['facts'] {
  const { frame, key } = settlement.checkpoint
  return [
    ...LABELS.flatMap(([name, label]) => (ticks[name] ? [{ label, value: tickText(ticks[name]) }] : [])),
    { label: 'Signed checkpoint', value: `frame ${frame}, key ${key.slice(0, 8)}` },
  ]
}

/** Returns a time as people read it, in UTC, to the millisecond. */
export const when = (ms: Ms): string => toIso(ms).slice(0, 23).replace('T', ' ')

const tickText = ({ price, time, frame }: ReceiptTick): string => `${price} at ${when(time).slice(11)} (frame ${frame})`
