import type { Check } from '../ledger/index.ts'

/** Invariants of the house's capital, recomputed from its movements. */
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
]
