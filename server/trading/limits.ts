import type { Mode } from '#contract/trading/trading.ts'
import type { Usd } from '#kernel/money.ts'
import { first, must } from '#kernel/must.ts'
import { openStakeOf } from '../ledger/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'

/** A symbol's maximum open stake in real mode, and the current open stake, in cents. */
interface SymbolLimit {
  symbolId: number
  openMax: Usd
  open: Usd
}

/** The limits an operator can set, in cents. */
interface TradingLimits {
  stakeMax: Usd
  openStakeMax: Usd
  /** The share of the equity that the house may lose in one scenario. */
  worstLossPercent: number
  symbols: SymbolLimit[]
}

export async function tradingLimits(db: Db | Tx): Promise<TradingLimits> {
  const limits = await db.selectFrom('trading_limits').selectAll().executeTakeFirstOrThrow()
  const symbols = await db
    .selectFrom('symbol_open')
    .select(['symbol_id', 'open', 'open_max'])
    .where('open_max', 'is not', null)
    .orderBy('symbol_id')
    .execute()
  return {
    stakeMax: limits.stake_max,
    openStakeMax: limits.open_stake_max,
    worstLossPercent: limits.worst_loss_percent,
    symbols: symbols.map((row) => ({ symbolId: row.symbol_id, openMax: must(row.open_max), open: row.open })),
  }
}

/** What limits the next stake on one account and symbol, in cents. */
interface StakeLimits {
  stakeMax: Usd
  openStakeMax: Usd
  openStake: Usd
  /** Null if neither operators nor the depth of its price limit the symbol, and in demo mode. */
  symbolRoom: Usd | null
}

export async function stakeLimits(
  db: Db,
  { accountId, mode, symbolId }: { accountId: bigint; mode: Mode; symbolId: number },
): Promise<StakeLimits> {
  const [openStake, { rows }] = await Promise.all([
    openStakeOf(db, accountId),
    sql<{ stake_max: Usd; open_stake_max: Usd; room: Usd | null }>`
      select l.stake_max, l.open_stake_max,
        case when s.symbol_id is not null then greatest(least(s.open_max, s.thin_max) - s.open, 0) end as room
      from trading_limits l left join symbol_open s on s.symbol_id = ${symbolId} and ${mode} = 'real'`.execute(db),
  ])
  const { stake_max, open_stake_max, room } = first(rows)
  return { stakeMax: stake_max, openStakeMax: open_stake_max, openStake, symbolRoom: room }
}

/** Returns the largest stake of one trade, in cents. */
export async function maxStake(db: Db): Promise<Usd> {
  const { stake_max } = await db.selectFrom('trading_limits').select('stake_max').executeTakeFirstOrThrow()
  return stake_max
}

/** Omitted limits stay, and null removes a symbol's limit. In cents. */
export interface TradingLimitsChange {
  stakeMax?: Usd | undefined
  openStakeMax?: Usd | undefined
  worstLossPercent?: number | undefined
  symbols?: readonly { symbolId: number; openMax: Usd | null }[]
}

/** Sets limits. Trades accepted under a higher limit stay open. */
export async function setTradingLimits(tx: Tx, change: TradingLimitsChange): Promise<void> {
  if (change.openStakeMax !== undefined) {
    await sql`insert into open_stake_limits (open_stake_max) select open_stake_max from trading_limits`.execute(tx)
    await tx.updateTable('trading_limits').set({ open_stake_max: change.openStakeMax }).execute()
  }
  if (change.stakeMax !== undefined)
    await tx.updateTable('trading_limits').set({ stake_max: change.stakeMax }).execute()
  if (change.worstLossPercent !== undefined)
    await tx.updateTable('trading_limits').set({ worst_loss_percent: change.worstLossPercent }).execute()
  for (const { symbolId, openMax } of change.symbols ?? []) {
    if (openMax === null) {
      await sql`delete from symbol_open where symbol_id = ${symbolId} and thin_max is null`.execute(tx)
      await sql`update symbol_open set open_max = null where symbol_id = ${symbolId}`.execute(tx)
    } else {
      await sql`
        insert into symbol_open (symbol_id, open_max, open)
        select ${symbolId}, ${openMax}, coalesce(sum(stake), 0) from trades
        where symbol_id = ${symbolId} and status = 'Pending' and mode = 'real'
        on conflict (symbol_id) do update set open_max = excluded.open_max`.execute(tx)
    }
  }
}
