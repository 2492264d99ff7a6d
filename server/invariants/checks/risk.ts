import type { Check } from '../../ledger/index.ts'

/** Invariants of the house's capital, recomputed from its movements, and of the room that it leaves for trades. */
export const riskChecks: readonly Check[] = [
  {
    name: 'L11',
    says: "the house's capital is the sum of its movements, which are numbered without gaps in the order of time",
    sql: `select seq, amount, capital_after from (
            select c.*, sum(amount) over w as running, row_number() over w as expected, lag(at) over w as at_before
            from capital c window w as (order by seq)
          ) rows where seq <> expected or capital_after <> running or capital_after < 0 or at < at_before`,
  },
  {
    name: 'L11',
    says: 'each movement of capital is the approved proposal of one admin, decided by another person, and each approved one moved it once',
    sql: `select r.id, c.seq from (
            select r.*, m.amount from proposals r join capital_moves m on m.id = r.id
            where r.kind = 'capital-moves' and r.status = 'Approved'
          ) r full join (select * from capital where move_id is not null) c on c.move_id = r.id
          left join operators p on p.id = r.proposed_by left join operators d on d.id = r.decided_by
          where r.amount is distinct from c.amount or r.decided_at > c.at or email_key_of(p.email) = email_key_of(d.email)`,
  },
  {
    name: 'L11',
    says: 'play capital is the first movement, of 100,000,000.00',
    sql: `select seq, amount from capital where move_id is null and (seq <> 1 or amount <> 10000000000)`,
  },
  {
    name: 'L12',
    says: 'what all lanes may still add to a loss is at most what its bound leaves beyond the loss of the last count',
    sql: `select r.room, r.open, f.most, f.loss from (
            select room, sum(granted - used) as open from risk_rooms group by room
          ) r cross join risk_count c
          cross join lateral (
            select coalesce((c.figures -> 'rooms' -> r.room::text ->> 'most')::numeric, 0) as most,
              coalesce((c.figures -> 'rooms' -> r.room::text ->> 'loss')::numeric, 0) as loss
          ) f
          where r.open > greatest(f.most - f.loss, 0)`,
  },
  {
    name: 'L12',
    says: 'the last count had the capital that was paid in by then, without play money in production',
    sql: `select c.figures ->> 'capital' as counted, k.capital from risk_count c
          cross join lateral (
            select coalesce(sum(amount) filter (where move_id is not null or (c.figures ->> 'isPlay')::boolean), 0) as capital
            from capital where at <= c.counted_at
          ) k where c.figures is not null and (c.figures ->> 'capital')::numeric <> k.capital and not exists (
            -- It was counted in the snapshot just before.
            select from capital where at between c.counted_at - interval '1 minute' and c.counted_at
          )`,
  },
]
