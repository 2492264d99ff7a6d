import { DURATIONS, type Mode } from '#contract/trading/trading.ts'
import { idFloor } from '#kernel/id.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { modeOf, userOf, userOfSql } from '../../ledger/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { ticksAround } from '../../prices/index.ts'
import { ENTRY_WITHIN_MS } from '../trade.ts'
import { type DecidingTick, LOST, returnStakesSql } from './return-stakes.sql.ts'

/** The trades that a price decided, or still may. */
export interface TradesOnTick {
  /** Trades that lost money, by their end or by a sale below the stake, of which nothing was returned yet. */
  lost: number
  /** What they lost. */
  total: Usd
  /** Open trades that started on it, or may still end on it or be sold at it. */
  open: number
}

/** The oldest exit price that a trade can take, by the settings of instruments. */
const STALE_MAX_MS = 600_000
/** A trade's id is made before it is accepted: at most this long, and with a clock that is ahead by at most this. */
const WAIT_MAX_MS = 120_000
const AHEAD_MAX_MS = 10_000

/**
 * Returns ranges of ids that hold every trade whose entry or exit can be a price of these times. Prices have no index on
 * trades, which would cost settlement time, but ids follow time.
 */
export function idsWithin(first: Ms, last: Ms): { above: bigint[]; below: bigint[] } {
  const tradeTimes = [
    { from: first - ENTRY_WITHIN_MS, to: last },
    ...DURATIONS.map((seconds) => ({ from: first - seconds * 1_000, to: last - seconds * 1_000 + STALE_MAX_MS })),
  ].sort((a, b) => a.from - b.from)
  const merged: { from: Ms; to: Ms }[] = []
  for (const { from, to } of tradeTimes) {
    const range = { from: from - WAIT_MAX_MS, to: to + AHEAD_MAX_MS }
    const before = merged.at(-1)
    if (before && range.from <= before.to) before.to = Math.max(before.to, range.to)
    else merged.push(range)
  }
  return { above: merged.map(({ from }) => idFloor(from)), below: merged.map(({ to }) => idFloor(to)) }
}

/**
 * Counts the trades that a price decided. An open trade may still use it if the tape has no earlier price for its entry,
 * or no later one for its exit, and while an order to sell it isn't decided.
 */
export async function tradesOn(db: Db | Tx, { symbolId, seq, at }: DecidingTick): Promise<TradesOnTick> {
  const { above, below } = idsWithin(at, at)
  const { before, after } = await ticksAround(db, symbolId, at)
  const firstTrade = Math.max(at - ENTRY_WITHIN_MS, before ?? 0)
  const lastEnd = (after ?? Number.MAX_SAFE_INTEGER) - 1
  const { rows } = await sql<{ lost: number; total: bigint; open: number }>`
    select count(*) filter (where lost)::int as lost, coalesce(sum(stake - payout) filter (where lost), 0)::bigint as total,
      count(*) filter (where open)::int as open
    from (
      select t.stake, t.payout,
        ${LOST} and (t.entry_seq = ${seq} or t.exit_seq = ${seq})
          and not exists (select from trade_remedies r where r.trade_id = t.id) as lost,
        t.status = 'Pending' and (
          coalesce(t.entry_seq = ${seq}, t.trade_time < ${at} and t.trade_time >= ${firstTrade})
          or t.sale_ordered_at < ${at}
          or t.end_time >= ${at} and t.end_time <= least(${at}::bigint + t.stale_after_ms, ${lastEnd})
        ) as open
      from unnest(${above}::bigint[], ${below}::bigint[]) as ids(above, below)
      join trades t on t.id > ids.above and t.id < ids.below
      where t.symbol_id = ${symbolId} and t.status in ('Pending', 'Lost', 'Sold')
    ) decided`.execute(db)
  const { lost, total, open } = first(rows)
  return { lost, total: usd(total), open }
}

/** Whether a price made one of these users lose. */
export async function hasLostOn(
  db: Db | Tx,
  { symbolId, seq, at }: DecidingTick,
  userIds: readonly bigint[],
): Promise<boolean> {
  if (userIds.length === 0) return false
  const { above, below } = idsWithin(at, at)
  const { rows } = await sql`
    select from unnest(${above}::bigint[], ${below}::bigint[]) as ids(above, below)
    join trades t on t.id > ids.above and t.id < ids.below
    where t.symbol_id = ${symbolId} and ${LOST} and (t.entry_seq = ${seq} or t.exit_seq = ${seq})
      and ${sql.raw(userOfSql('t.account_id'))} = any(${userIds}::bigint[])
    limit 1`.execute(db)
  return rows.length > 0
}

/** What a batch returned to one trader. */
export interface ReturnedStakes {
  userId: bigint
  mode: Mode
  trades: number
  total: Usd
  /** The part that repaid debt. */
  repaid: Usd
}

/**
 * Returns what at most `limit` trades lost on a wrong price, by a ruling: the stake, or of a sold trade what is left of it.
 * It is returned once, whichever rulings name it. Accounts that another transaction has locked are left for the next call: `tradesOn` says
 * whether any are left.
 */
export async function returnStakes(
  tx: Tx,
  { rulingId, tick, limit }: { rulingId: bigint; tick: DecidingTick; limit: number },
): Promise<ReturnedStakes[]> {
  const { rows } = await returnStakesSql({ rulingId, tick, ...idsWithin(tick.at, tick.at), limit }).execute(tx)
  return rows.map((row) => ({
    userId: userOf(row.account_id),
    mode: modeOf(row.account_id),
    trades: row.trades,
    total: usd(row.total),
    repaid: usd(row.repaid),
  }))
}

/** Returns what was returned for these trades, in cents. */
export async function remediesOf(db: Db | Tx, tradeIds: readonly bigint[]): Promise<Map<bigint, Usd>> {
  if (tradeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('trade_remedies')
    .select(['trade_id', 'amount'])
    .where('trade_id', '=', sql<bigint>`any(${tradeIds}::bigint[])`)
    .execute()
  return new Map(rows.map(({ trade_id, amount }) => [trade_id, amount]))
}

/** Returns what rulings have returned so far: trades in each mode, and real money. */
export async function stakesReturned(
  db: Db,
  rulingIds: readonly bigint[],
): Promise<Map<bigint, { real: number; demo: number; total: Usd }>> {
  if (rulingIds.length === 0) return new Map()
  const { rows } = await sql<{ ruling_id: bigint; real: number; demo: number; total: bigint }>`
    select ruling_id, count(*) filter (where account_id % 2 = 0)::int as real, count(*) filter (where account_id % 2 = 1)::int as demo,
      coalesce(sum(amount) filter (where account_id % 2 = 0), 0)::bigint as total
    from trade_remedies where ruling_id = any(${rulingIds}::bigint[]) group by ruling_id`.execute(db)
  return new Map(rows.map(({ ruling_id, real, demo, total }) => [ruling_id, { real, demo, total: usd(total) }]))
}
