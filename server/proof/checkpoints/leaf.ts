import { assert } from '#kernel/assert.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { saleRule } from '#kernel/sale-value.ts'
import { leafText, type Receipt, type ReceiptOrder } from '#packages/verify/verify.js'
import type { Instruments } from '../../prices/index.ts'
import {
  ENTRY_WITHIN_MS,
  isVoidedByOperators,
  orderHash,
  orderOf,
  ruleVersion,
  type SettledTrade,
} from '../../trading/index.ts'

type Version<N> = Pick<Extract<Receipt, { version: N }>, 'trade' | 'outcome'>
/**
 * What a checkpoint signs of a trade, without the owner's name or account. Version 1 is from before orders were bound, and
 * version 3 of a trade that was sold.
 */
export type SignedTrade = Version<1> | Version<2> | Version<3>

interface Leaf {
  text: string
  /** The order that the tape binds, in version 2. */
  terms: ((Version<2> | Version<3>) & { order: ReceiptOrder }) | (Version<1> & { order: undefined })
}

/** A trade's terms and outcome as a checkpoint signs them. */
export function leafOf(row: SettledTrade, instruments: Instruments): Leaf {
  assert(ruleVersion(row.rule_version), 'a settled trade has a known rule')
  const { status } = row
  const order = orderOf({ ...row, salt: row.salt ?? '' }, instruments)
  const paid = { payout: usdToText(usd(row.payout)), reason: row.outcome_reason }
  if (status === 'Sold') {
    const sold = { trade: boundTrade(order, row), outcome: { status, ...paid, sale: saleOf(row) } }
    return { text: leafText(sold), terms: { ...sold, order } }
  }
  if (row.salt === null) {
    const { id, mode, symbol, side, stake, percent, trade_time, stale_after_ms, source, rule_version } = order
    const end_time = Number(row.end_time)
    const trade = { id, mode, symbol, side, stake, percent, trade_time, end_time, stale_after_ms, source, rule_version }
    const settled = { trade, outcome: { status, ...paid } }
    return { text: leafText(settled), terms: { ...settled, order: undefined } }
  }
  const bound = { trade: boundTrade(order, row), outcome: { status, ...paid, sale: null } }
  return { text: leafText(bound), terms: { ...bound, order } }
}

/** The order of the fields is part of the signed text. */
function boundTrade(order: ReceiptOrder, { end_time }: SettledTrade): Version<2>['trade'] {
  const { id, mode, symbol, side, stake, strike_rate, percent, duration, trade_time, ...rules } = order
  const { stale_after_ms, source, rule_version, price_list } = rules
  return {
    ...{ id, mode, symbol, side, stake, strike_rate, percent, duration, trade_time, end_time: Number(end_time) },
    ...{ stale_after_ms, source, rule_version, price_list, order: orderHash(order) },
  }
}

function saleOf({ sale_rule, sale }: SettledTrade): Version<3>['outcome']['sale'] {
  const rule = saleRule(sale_rule)
  assert(rule && sale, 'a sold trade has a known formula, and its order')
  const { at, minimum, variance, fee } = sale
  const textOf = (cents: number) => usdToText(usd(BigInt(cents)))
  return { rule, ordered_at: at, minimum: textOf(minimum), variance, fee: textOf(fee) }
}

/** A trade can't be settled before this: its end, unless it was sold, there was no entry, or operators voided it. */
export function settledFrom({ status, entry_seq, trade_time, end_time, outcome_reason, sale }: SettledTrade): bigint {
  if (isVoidedByOperators(outcome_reason)) return trade_time
  if (sale) return BigInt(sale.at)
  return status === 'Void' && entry_seq === null ? trade_time + BigInt(ENTRY_WITHIN_MS) : end_time
}
