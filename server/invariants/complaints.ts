import type { Check } from '../ledger/index.ts'

/** Invariants R1 to R3 of complaints, as plain SQL over the raw rows. */
export const complaintChecks: readonly Check[] = [
  {
    name: 'R1',
    says: 'each returned stake moved exactly its amount, once, and nothing else was returned',
    sql: `select coalesce(r.trade_id, m.cause_id) as trade, r.amount, m.moved from trade_remedies r
          full join (
            select cause_id, account_id, sum(amount) as moved from transfers where cause = 'trade_remedy' group by cause_id, account_id
          ) m on m.cause_id = r.trade_id and m.account_id = r.account_id
          where r.trade_id is null or m.cause_id is null or r.amount <> m.moved`,
  },
  {
    name: 'R2',
    says: 'stakes are returned for lost trades on a price that two operators ruled wrong, and a paid ruling left none out',
    sql: `select r.trade_id as trade, r.ruling_id as ruling from trade_remedies r
          left join trades t on t.id = r.trade_id left join complaint_rulings c on c.id = r.ruling_id
          where (t.status = 'Lost' and t.stake = r.amount and t.account_id = r.account_id
            and c.status = 'Approved' and c.remedy = 'tick' and c.decided_by <> c.proposed_by
            and t.symbol_id = c.symbol_id and (t.entry_seq = c.tick_seq or t.exit_seq = c.tick_seq)) is not true
          union all
          select t.id, c.id from complaint_rulings c
          join trades t on t.symbol_id = c.symbol_id and (t.entry_seq = c.tick_seq or t.exit_seq = c.tick_seq)
          where c.remedy = 'tick' and c.paid_at is not null and t.status = 'Lost'
            and not exists (select from trade_remedies r where r.trade_id = t.id)`,
  },
  {
    name: 'R3',
    says: 'each closed complaint is as the ruling of two people says, and what it credits is an adjustment',
    sql: `select c.id as complaint, r.id as ruling from complaints c
          left join complaint_rulings r on r.complaint_id = c.id and r.status = 'Approved'
          left join adjustments a on a.id = r.adjustment_id
          left join operators p on p.id = r.proposed_by left join operators d on d.id = r.decided_by
          where (c.closed_at is null) <> (r.id is null)
            or r.id is not null and (c.status = 'Upheld') <> r.upheld
            or r.id is not null and lower(p.email) = lower(d.email)
            or r.credit is not null and (a.status = 'Approved' and a.amount = r.credit and a.user_id = c.user_id
              and a.proposed_by = r.proposed_by and a.decided_by = r.decided_by) is not true`,
  },
  {
    name: 'R3',
    says: 'the stakes of an approved ruling are returned within an hour',
    sql: `select id as ruling, decided_at from complaint_rulings
          where status = 'Approved' and paid_at is null and decided_at < now() - interval '1 hour'`,
  },
]
