import type { Mode } from '#contract/trading/trading.ts'
import { publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import type { OperatorVoid, RuleVersion, Terms } from '#server/trading/trade.ts'

/** A trade in the ledger: its terms, its recorded outcome, and the sums of its movements in cents. */
export interface BookedTrade {
  id: string
  accountId: bigint
  mode: Mode
  symbol: string
  terms: Terms
  operatorVoid: OperatorVoid | undefined
  status: string
  reason: string | null
  payout: bigint | null
  /** From the balance into escrow. */
  staked: bigint
  /** Back into the balance: from escrow, and from the house. */
  paid: bigint
  /** From escrow to the house, less what the house paid. */
  kept: bigint
}

export interface BookedAccount {
  id: bigint
  mode: Mode
  balance: bigint
  escrow: bigint
  /** Moved in by anything other than trades: deposits, demo grants. */
  brought: bigint
}

/** Reads every trade with the sums of its movements. */
export async function bookedTrades(db: Db): Promise<BookedTrade[]> {
  const { rows } = await sql<{
    id: bigint
    account_id: bigint
    mode: Mode
    symbol: string
    side: Terms['side']
    stake: bigint
    percent: number
    trade_time: bigint
    end_time: bigint
    stale_after_ms: number
    source_kind: number
    rule_version: string
    status: string
    outcome_reason: string | null
    payout: bigint | null
    staked: bigint
    paid: bigint
    kept: bigint
    void_reason: string | null
    entered: boolean | null
  }>`
    select t.id, t.account_id, t.mode, i.symbol, t.side, t.stake, t.percent, t.trade_time, t.end_time, t.stale_after_ms,
      t.source_kind, t.rule_version, t.status, t.outcome_reason, t.payout, v.reason as void_reason, v.entered,
      coalesce(sum(m.amount) filter (where m.cause = 'trade_open'), 0)::bigint as staked,
      coalesce(sum(m.amount) filter (where m.cause = 'trade_settle' and m.credit = 'balance'), 0)::bigint as paid,
      (coalesce(sum(m.amount) filter (where m.credit = 'house'), 0)
        - coalesce(sum(m.amount) filter (where m.debit = 'house'), 0))::bigint as kept
    from trades t join instruments i on i.id = t.symbol_id
    left join transfers m on m.cause in ('trade_open', 'trade_settle') and m.cause_id = t.id
    left join trade_voids v on v.trade_id = t.id
    group by t.id, i.symbol, v.reason, v.entered
    order by t.end_time, t.id`.execute(db)
  return rows.map((row) => ({
    id: publicId(row.id),
    accountId: row.account_id,
    mode: row.mode,
    symbol: row.symbol,
    terms: {
      side: row.side,
      stake: usd(row.stake),
      percent: row.percent,
      tradeTime: Number(row.trade_time),
      endTime: Number(row.end_time),
      staleAfterMs: row.stale_after_ms,
      sourceKind: row.source_kind,
      rule: row.rule_version as RuleVersion,
    },
    operatorVoid: row.void_reason === null ? undefined : { reason: row.void_reason, entered: row.entered === true },
    status: row.status,
    reason: row.outcome_reason,
    payout: row.payout,
    staked: row.staked,
    paid: row.paid,
    kept: row.kept,
  }))
}

/** Reads every account, with the amount moved into it from outside. */
export async function bookedAccounts(db: Db): Promise<BookedAccount[]> {
  const { rows } = await sql<BookedAccount>`
    select a.id, a.mode, a.balance, a.escrow,
      coalesce(sum(case when m.credit = 'balance' then m.amount else -m.amount end)
        filter (where m.cause not in ('trade_open', 'trade_settle')), 0)::bigint as brought
    from accounts a left join transfers m on m.account_id = a.id
    group by a.id order by a.id`.execute(db)
  return rows
}
