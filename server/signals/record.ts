import type { Selectable } from 'kysely'
import { isOwnStrategy } from '#contract/terms.ts'
import { lockUnchanged } from '../own-strategies/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { tapeTime } from '../prices/index.ts'
import { type Draft, LATE_MS } from './decide.ts'

export type SignalRow = Selectable<DB['signals']>

/**
 * Writes signals to the end of the chain and returns those that were written: not the ones that are late by now, those
 * that another worker has written, nor those of a trader's strategy that has changed meanwhile. They are committed when
 * this returns.
 */
export async function recordSignals(db: Db, drafts: readonly Draft[]): Promise<SignalRow[]> {
  if (drafts.length === 0) return []
  return inTransaction(db, async (tx) => {
    await lockChain(tx)
    const now = Number(await tapeTime(tx))
    const onTime = drafts.filter((draft) => draft.candleClose + LATE_MS >= now)
    const owned = onTime.filter(({ strategy }) => isOwnStrategy(strategy))
    const unchanged = await lockUnchanged(tx, owned)
    return insertSignals(tx, [...onTime.filter((draft) => !owned.includes(draft)), ...unchanged])
  })
}

/** One writer at a time; the next statement sees what the last one wrote. */
export const lockChain = (tx: Tx): Promise<unknown> => sql`select from signal_head for update`.execute(tx)

/** Writes drafts in their order, except those of a close that has its signal. */
export async function insertSignals(tx: Tx, drafts: readonly Draft[]): Promise<SignalRow[]> {
  if (drafts.length === 0) return []
  const { rows } = await sql<SignalRow>`
    insert into signals (strategy, version, symbol_id, side, duration_seconds, candle_close, source_kind, stale_after_ms, seal)
    select d.strategy, d.version, d.symbol_id, d.side, d.duration_seconds, d.candle_close, d.source_kind, d.stale_after_ms, d.seal
    from unnest(
      ${drafts.map((draft) => draft.strategy)}::strategy_key[], ${drafts.map((draft) => draft.version)}::smallint[],
      ${drafts.map((draft) => draft.symbolId)}::smallint[], ${drafts.map((draft) => draft.side)}::trade_side[],
      ${drafts.map((draft) => draft.durationSeconds)}::int[], ${drafts.map((draft) => draft.candleClose)}::bigint[],
      ${drafts.map((draft) => draft.sourceKind)}::smallint[], ${drafts.map((draft) => draft.staleAfterMs)}::int[],
      ${drafts.map((draft) => draft.seal)}::bytea[]
    ) with ordinality as d(strategy, version, symbol_id, side, duration_seconds, candle_close, source_kind, stale_after_ms, seal, place)
    where not exists (
      select from signals s where s.candle_close = d.candle_close and s.strategy = d.strategy and s.version = d.version
        and s.symbol_id = d.symbol_id and s.duration_seconds = d.duration_seconds
    )
    order by d.place
    returning *`.execute(tx)
  return rows
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
