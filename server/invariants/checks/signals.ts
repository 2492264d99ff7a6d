import { type Check, userOfSql } from '../../ledger/index.ts'

/** The number of a trader's strategy that gave the signal `s`. */
const OWN = "case when starts_with(s.strategy, 'own-') then substring(s.strategy from 5)::bigint end"

/** Invariants S1, S2 and S4 as plain SQL over the raw rows. S3 is replayed in TypeScript (server/signals/replay.ts). */
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
    name: 'S2',
    says: 'the outcomes counted by close are those of the signals',
    sql: `select * from (
            select candle_close, strategy, version, duration_seconds, source_kind,
              count(*) filter (where side = 'Buy' and status = 'Won') as buy_won,
              count(*) filter (where side = 'Buy' and status = 'Lost') as buy_lost,
              count(*) filter (where side = 'Sell' and status = 'Won') as sell_won,
              count(*) filter (where side = 'Sell' and status = 'Lost') as sell_lost
            from signals where status in ('Won', 'Lost') and candle_close >= (select closes_from from signal_head)
            group by 1, 2, 3, 4, 5
          ) s full join (
            select * from signal_closes where candle_close >= (select closes_from from signal_head)
          ) c using (candle_close, strategy, version, duration_seconds, source_kind)
          where (s.buy_won, s.buy_lost, s.sell_won, s.sell_lost)
            is distinct from (c.buy_won::bigint, c.buy_lost::bigint, c.sell_won::bigint, c.sell_lost::bigint)`,
  },
  {
    name: 'S2',
    says: 'the spread of the outcomes over closes follows from the closes, and adds up to the outcomes by hour',
    sql: `select * from (
            select duration_seconds, source_kind, d.sides, strategy, version, candle_close / 3600000 * 3600000 as hour,
              sum(d.won) as won, sum(d.lost) as lost, count(*) as closes,
              sum(d.won * d.won) as ww, sum(d.won * d.lost) as wl, sum(d.lost * d.lost) as ll
            from signal_closes c cross join lateral (values
              ('both', buy_won + sell_won, buy_lost + sell_lost), ('Buy', buy_won, buy_lost), ('Sell', sell_won, sell_lost)
            ) d(sides, won, lost)
            where d.won + d.lost > 0 and candle_close >= (select closes_from from signal_head)
            group by 1, 2, 3, 4, 5, 6
          ) c full join (
            select duration_seconds, source_kind, sides, strategy, version, hour, won, lost, closes, ww, wl, ll
            from signal_spreads where hour >= (select closes_from from signal_head)
          ) s using (duration_seconds, source_kind, sides, strategy, version, hour)
          where (c.won, c.lost, c.closes, c.ww, c.wl, c.ll)
            is distinct from (s.won::numeric, s.lost::numeric, s.closes, s.ww::numeric, s.wl::numeric, s.ll::numeric)
          union all
          select duration_seconds, source_kind, sides, strategy, version, hour,
            s.won, s.lost, null, null, null, null, h.won, h.lost, null, null, null, null
          from (
            select duration_seconds, source_kind, n.sides, strategy, version, hour, sum(won) as won, sum(lost) as lost
            from signal_hours cross join lateral (values ('both'), (side::text)) n(sides)
            where won + lost > 0 group by 1, 2, 3, 4, 5, 6
          ) h full join signal_spreads s using (duration_seconds, source_kind, sides, strategy, version, hour)
          where (s.won, s.lost) is distinct from (h.won, h.lost)`,
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
  {
    name: 'S4',
    says: "each signal of a trader's strategy is what its version allows, and sealed unless that version was published",
    sql: `select s.n from (select * from signals where starts_with(strategy, 'own-')) s
          left join own_strategy_versions v on v.strategy_id = ${OWN} and v.version = s.version
          left join published_strategies p on p.strategy_id = ${OWN}
          where v.version is null or s.duration_seconds <> v.duration_seconds or s.symbol_id <> all (v.symbol_ids)
            or (s.seal is null) <> coalesce(s.version between p.first_version and coalesce(p.last_version, s.version), false)`,
  },
  {
    name: 'S4',
    says: 'only its owner followed a sealed signal',
    sql: `select t.id, t.signal from trades t join signals s on s.n = t.signal and s.seal is not null
          left join own_strategies o on o.id = ${OWN}
          where o.user_id is distinct from ${userOfSql('t.account_id')}`,
  },
  {
    name: 'S4',
    says: 'each message from outside became the signal that it asked for',
    sql: `select r.strategy_id, r.id from received_signals r left join signals s on s.n = r.signal
          where r.signal is not null and (
            s.n is null or s.strategy <> 'own-' || r.strategy_id or s.symbol_id <> r.symbol_id or s.side <> r.side
          )`,
  },
]
