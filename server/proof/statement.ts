import { SOURCES } from '#contract/prices.ts'
import { assert } from '#kernel/assert.ts'
import { publicId } from '#kernel/id.ts'
import { leafText, type Receipt } from '#packages/verify/verify.js'
import type { Instruments } from '../prices/index.ts'
import type { SettledTrade } from '../trading/index.ts'

/** A trade's terms and outcome as a checkpoint signs them, without the owner's name or account. */
export function statementOf(
  row: SettledTrade,
  instruments: Instruments,
): Pick<Receipt, 'trade' | 'outcome'> & { text: string } {
  const instrument = instruments.byId(row.symbol_id)
  assert(instrument && row.rule_version === 'FT-1', 'a trade has an instrument and a known rule')
  const trade: Receipt['trade'] = {
    id: publicId(row.id),
    mode: row.mode,
    symbol: instrument.symbol,
    side: row.side,
    stake: dollars(row.stake),
    percent: row.percent,
    trade_time: Number(row.trade_time),
    end_time: Number(row.end_time),
    stale_after_ms: row.stale_after_ms,
    source: SOURCES[row.source_kind]!,
    rule_version: 'FT-1',
  }
  const outcome = { status: row.status, payout: dollars(row.payout), reason: row.outcome_reason }
  return { trade, outcome, text: leafText({ trade, outcome }) }
}

const dollars = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
