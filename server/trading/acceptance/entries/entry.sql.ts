import { ENTRY_WITHIN_MS } from '../../trade.ts'

/** Selects the entry of a trade from the tape: the first tick after it, within 10 s. `trade` names a row of trades. */
export const entrySql = (trade: string) => `
  select k.price, k.source_ms, k.seq from ticks k
  where k.symbol_id = ${trade}.symbol_id and k.source_ms > ${trade}.trade_time and k.source_ms <= ${trade}.trade_time + ${ENTRY_WITHIN_MS}
  order by k.source_ms limit 1`

/**
 * Writes the entries of at most $2 trades that are still open and were accepted by $1 (Unix ms). An entry is otherwise
 * written when the trade settles, because a second version of its row is a large part of what a trade costs. Trades that
 * stay open for longer get theirs before their ticks leave the searchable index.
 */
export const WRITE_ENTRIES_SQL = `
with mine as materialized (
  select t.id, e.price, e.source_ms, e.seq
  from trades t cross join lateral (${entrySql('t')}) e
  where t.status = 'Pending' and t.entry_seq is null and t.trade_time <= $1::bigint
  -- The order of the index of open trades, so that it is read instead of all trades.
  order by t.symbol_id, t.end_time limit $2::int for no key update of t skip locked
)
update trades t set entry_price = m.price, entry_time = m.source_ms, entry_seq = m.seq
from mine m where t.id = m.id
returning t.id`
