import { assert } from '#kernel/assert.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { leafText, type Receipt, type ReceiptOrder } from '#packages/verify/verify.js'
import type { Instruments } from '../prices/index.ts'
import {
  ENTRY_WITHIN_MS,
  isVoidedByOperators,
  orderHash,
  orderOf,
  ruleVersion,
  type SettledTrade,
} from '../trading/index.ts'

type Version<N> = Pick<Extract<Receipt, { version: N }>, 'trade' | 'outcome'>
/** What a checkpoint signs of a trade, without the owner's name or account. Version 1 is from before orders were bound. */
export type SignedTrade = Version<1> | Version<2>

interface Leaf {
  text: string
  /** The order that the tape binds, in version 2. */
  terms: (Version<2> & { order: ReceiptOrder }) | (Version<1> & { order: undefined })
}

/** A trade's terms and outcome as a checkpoint signs them. */
export function leafOf(row: SettledTrade, instruments: Instruments): Leaf {
  assert(ruleVersion(row.rule_version), 'a settled trade has a known rule')
  const order = orderOf({ ...row, salt: row.salt ?? '' }, instruments)
  const { id, mode, symbol, side, stake, percent, trade_time, stale_after_ms, source, rule_version } = order
  const { strike_rate, duration, price_list } = order
  const end_time = Number(row.end_time)
  const outcome = { status: row.status, payout: usdToText(usd(row.payout)), reason: row.outcome_reason }
  // The order of the fields is part of the signed text.
  const trade = { id, mode, symbol, side, stake, percent, trade_time, end_time, stale_after_ms, source, rule_version }
  if (row.salt === null) return { text: leafText({ trade, outcome }), terms: { trade, outcome, order: undefined } }
  const bound = {
    trade: {
      ...{
        id,
        mode,
        symbol,
        side,
        stake,
        strike_rate,
        percent,
        duration,
        trade_time,
        end_time,
        stale_after_ms,
        source,
      },
      ...{ rule_version, price_list, order: orderHash(order) },
    },
    outcome: { ...outcome, sale: null },
  }
  return { text: leafText(bound), terms: { ...bound, order } }
}

/** A trade can't be settled before this: its end, unless there was no entry, or operators voided it. */
export function settledFrom({ status, entry_seq, trade_time, end_time, outcome_reason }: SettledTrade): bigint {
  if (isVoidedByOperators(outcome_reason)) return trade_time
  return status === 'Void' && entry_seq === null ? trade_time + BigInt(ENTRY_WITHIN_MS) : end_time
}
