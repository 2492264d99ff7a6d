import type { Check } from '../ledger/index.ts'

/** Invariants S1 and S2 as plain SQL over the raw rows. S3 is replayed in TypeScript (server/signals/replay.ts). */
export const signalChecks: readonly Check[] = [
  {
    name: 'S1',
    says: 'signals are numbered without gaps, and each hash follows from its row and the hash before',
    sql: `select s.n from (
            select s.*, lag(s.n, 1, 0::bigint) over by_number as n_before,
              lag(s.hash, 1, decode(repeat('00', 32), 'hex')) over by_number as hash_before, sha256(s.previous || convert_to(signal_text(s), 'UTF8')) as proper
            from signals s window by_number as (order by s.n)
          ) s where s.n <> s.n_before + 1 or s.previous <> s.hash_before or s.hash <> s.proper
          union all
          select h.n from signal_head h
          where h.n <> (select coalesce(max(n), 0) from signals)
            or h.n > 0 and h.hash is distinct from (select hash from signals where n = h.n)`,
  },
  {
    name: 'S2',
    says: 'the outcomes counted by hour are those of the signals',
    sql: `select * from (
            select strategy, version, duration_seconds, side, source_kind, candle_close / 3600000 * 3600000 as hour,
              count(*) filter (where status = 'Won') as won, count(*) filter (where status = 'Lost') as lost,
              count(*) filter (where status = 'Draw') as draws, count(*) filter (where status = 'Void') as voids
            from signals where status <> 'Pending' group by 1, 2, 3, 4, 5, 6
          ) s full join signal_hours h using (strategy, version, duration_seconds, side, source_kind, hour)
          where (s.won, s.lost, s.draws, s.voids) is distinct from (h.won::bigint, h.lost::bigint, h.draws::bigint, h.voids::bigint)`,
  },
  {
    name: 'S1',
    says: 'every automatic trade followed a signal of its symbol, side and duration that was at most 5 s old',
    sql: `select t.id, t.signal from trades t left join signals s on s.n = t.signal
          where t.signal is not null and (
            s.n is null or t.symbol_id <> s.symbol_id or t.side <> s.side or t.duration_seconds <> s.duration_seconds
            or t.trade_time < s.at or t.trade_time > s.at + 5000
          )`,
  },
]
