import { Problem } from '#contract/problem.ts'
import type { ComplaintItem } from '#contract/terms.ts'
import { assert } from '#kernel/assert.ts'
import { dollars, usd } from '#kernel/money.ts'
import { verifyReceipt } from '#packages/verify/verify.js'
import { depositById, withdrawalById } from '../cashier/index.ts'
import { accountOf, holdsNewest, movementsOf, userOf } from '../ledger/index.ts'
import type { Db } from '../platform/database/db.ts'
import { type Instruments, TicksDropped } from '../prices/index.ts'
import { receiptOf } from '../proof/index.ts'
import { replayTrade, type TradeRow, tickReader, tradesByIds } from '../trading/index.ts'
import {
  checkAccount,
  checkDepositMoney,
  checkReceipt,
  checkTape,
  checkTradeMoney,
  checkWithdrawalMoney,
  type Evidence,
  type EvidenceStep,
  receiptFacts,
  when,
} from './evidence.ts'

interface Deps {
  db: Db
  instruments: Instruments
}

/**
 * Reads the records of an item and checks them again: the ledger, and for a trade its result on the tape and its receipt.
 * `later`: a trade's receipt isn't signed yet. With `final`, doesn't wait for it any longer.
 */
export async function checkRecords(
  deps: Deps,
  { item, itemId }: { item: ComplaintItem; itemId: bigint },
  { final }: { final: boolean },
): Promise<Evidence | 'later'> {
  switch (item) {
    case 'trade':
      return tradeEvidence(deps, itemId, final)
    case 'deposit':
      return depositEvidence(deps, itemId)
    case 'withdrawal':
      return withdrawalEvidence(deps, itemId)
  }
}

async function tradeEvidence(deps: Deps, id: bigint, final: boolean): Promise<Evidence | 'later'> {
  const { db, instruments } = deps
  const [trade] = await tradesByIds(db, [id])
  assert(trade, `trade ${id} exists`)
  const receipt = await receiptStep(deps, trade, final)
  if (receipt === 'later') return 'later'
  const movements = await movementsOf(db, trade.account_id, ['trade_open', 'trade_settle', 'trade_sale'], [id])
  const symbol = instruments.byId(trade.symbol_id)?.symbol ?? String(trade.symbol_id)
  return {
    facts: [
      { label: 'Trade', value: `${symbol} ${trade.side}, ${dollars(trade.stake)}, ${trade.percent}%, ${trade.mode}` },
      { label: 'Placed', value: when(Number(trade.trade_time)) },
      { label: 'Ended', value: when(Number(trade.end_time)) },
      { label: 'Result', value: `${trade.status}, paid ${dollars(trade.payout ?? usd(0n))}` },
      ...receipt.facts,
    ],
    steps: [
      checkTradeMoney(trade, movements),
      checkAccount(await holdsNewest(db, trade.account_id)),
      await tapeStep(db, trade),
      receipt.step,
    ],
  }
}

async function tapeStep(db: Db, trade: TradeRow): Promise<EvidenceStep> {
  try {
    return checkTape(await replayTrade(db, trade, tickReader(db)))
  } catch (error) {
    if (error instanceof TicksDropped) return { name: 'Tape', ok: false, says: 'The prices are no longer kept.' }
    throw error
  }
}

async function receiptStep(
  deps: Deps,
  trade: TradeRow,
  final: boolean,
): Promise<{ facts: Evidence['facts']; step: EvidenceStep } | 'later'> {
  const failed = (says: string) => ({ facts: [], step: { name: 'Receipt', ok: false, says } })
  try {
    const receipt = await receiptOf(deps, userOf(trade.account_id), trade.id)
    if (!receipt) return final ? failed('No signed checkpoint holds this trade yet.') : 'later'
    const { steps } = await verifyReceipt(JSON.stringify(receipt))
    return { facts: receiptFacts(receipt), step: checkReceipt(steps) }
  } catch (error) {
    if (error instanceof Problem) return failed(error.message)
    if (error instanceof TicksDropped) return failed('The prices are no longer kept.')
    // The receipt can't be built from rows that contradict each other. If the database is unreachable, the check is
    // retried.
    if (!final) throw error
    return failed('The receipt could not be built from the records.')
  }
}

async function depositEvidence({ db }: Deps, id: bigint): Promise<Evidence> {
  const deposit = await depositById(db, id)
  assert(deposit, `deposit ${id} exists`)
  const account = accountOf(deposit.user_id, 'real')
  const movements = await movementsOf(db, account, ['deposit_credit'], [id])
  return {
    facts: [
      { label: 'Amount', value: `${dollars(deposit.submitted)} by ${deposit.method}` },
      { label: 'Submitted', value: iso(deposit.created_at) },
      { label: 'Status', value: deposit.status },
      ...(deposit.credited === null ? [] : [{ label: 'Credited', value: dollars(deposit.credited) }]),
      ...(deposit.reversed > 0n ? [{ label: 'Reversed', value: dollars(deposit.reversed) }] : []),
      ...(deposit.decided_at ? [{ label: 'Decided', value: iso(deposit.decided_at) }] : []),
      { label: 'Approvals', value: String(deposit.approvals) },
    ],
    steps: [checkDepositMoney(deposit, movements), checkAccount(await holdsNewest(db, account))],
  }
}

async function withdrawalEvidence({ db }: Deps, id: bigint): Promise<Evidence> {
  const withdrawal = await withdrawalById(db, id)
  assert(withdrawal, `withdrawal ${id} exists`)
  const account = accountOf(withdrawal.user_id, 'real')
  const movements = await movementsOf(db, account, ['withdraw_hold', 'withdraw_paid', 'withdraw_release'], [id])
  return {
    facts: [
      { label: 'Amount', value: `${dollars(withdrawal.amount)} by ${withdrawal.method}` },
      { label: 'Requested', value: iso(withdrawal.created_at) },
      { label: 'Status', value: withdrawal.status },
      ...(withdrawal.processing_at ? [{ label: 'Approved', value: iso(withdrawal.processing_at) }] : []),
      ...(withdrawal.ended_at ? [{ label: 'Closed', value: iso(withdrawal.ended_at) }] : []),
      ...(withdrawal.reference === null ? [] : [{ label: 'Payment reference', value: withdrawal.reference }]),
      { label: 'Approvals', value: String(withdrawal.approvals) },
    ],
    steps: [checkWithdrawalMoney(withdrawal, movements), checkAccount(await holdsNewest(db, account))],
  }
}

const iso = (at: Date): string => when(at.getTime())
