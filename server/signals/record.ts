import type { Selectable } from 'kysely'
import { type Db, inTransaction, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { tapeTime } from '../prices/index.ts'
import { type Draft, LATE_MS } from './decide.ts'

export type SignalRow = Selectable<DB['signals']>

/**
 * Writes signals to the end of the chain and returns those that were written: not the ones that are late by now, nor
 * those that another worker has written. They are committed when this returns.
 */
export async function recordSignals(db: Db, drafts: readonly Draft[]): Promise<SignalRow[]> {
  if (drafts.length === 0) return []
  return inTransaction(db, async (tx) => {
    // One writer at a time; the next statement sees what the last one wrote.
    await sql`select from signal_head for update`.execute(tx)
    const now = Number(await tapeTime(tx))
    const onTime = drafts.filter((draft) => draft.candleClose + LATE_MS >= now)
    const { rows } = await sql<SignalRow>`
      insert into signals (strategy, version, symbol_id, side, duration_seconds, candle_close, source_kind, stale_after_ms)
      select d.strategy, d.version, d.symbol_id, d.side, d.duration_seconds, d.candle_close, d.source_kind, d.stale_after_ms
      from unnest(
        ${onTime.map((draft) => draft.strategy)}::strategy_key[], ${onTime.map((draft) => draft.version)}::smallint[],
        ${onTime.map((draft) => draft.symbolId)}::smallint[], ${onTime.map((draft) => draft.side)}::trade_side[],
        ${onTime.map((draft) => draft.durationSeconds)}::int[], ${onTime.map((draft) => draft.candleClose)}::bigint[],
        ${onTime.map((draft) => draft.sourceKind)}::smallint[], ${onTime.map((draft) => draft.staleAfterMs)}::int[]
      ) with ordinality as d(strategy, version, symbol_id, side, duration_seconds, candle_close, source_kind, stale_after_ms, place)
      where not exists (
        select from signals s where s.candle_close = d.candle_close and s.strategy = d.strategy and s.version = d.version
          and s.symbol_id = d.symbol_id and s.duration_seconds = d.duration_seconds
      )
      order by d.place
      returning *`.execute(tx)
    return rows
  })
}

/** Returns the number of the newest signal; 0 before the first. */
export async function chainEnd(db: Db | Tx): Promise<bigint> {
  const { n } = await db.selectFrom('signal_head').select('n').executeTakeFirstOrThrow()
  return n
}

/** Returns signals by number. */
export async function signalsByNumber(db: Db | Tx, numbers: readonly bigint[]): Promise<Map<bigint, SignalRow>> {
  const rows = await db
    .selectFrom('signals')
    .selectAll()
    .where('n', '=', sql<bigint>`any(${numbers}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.n, row]))
}
