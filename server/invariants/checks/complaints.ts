import type { Check } from '../../ledger/index.ts'

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
    says: 'what trades lost on a price that two operators ruled wrong is returned, by their end or a sale, and a paid ruling left none out',
    sql: `select r.trade_id as trade, r.ruling_id as ruling from trade_remedies r
          left join trades t on t.id = r.trade_id left join complaint_rulings c on c.id = r.ruling_id
          where ((t.status = 'Lost' or t.status = 'Sold' and c.covers_sales) and t.stake - t.payout = r.amount and t.account_id = r.account_id
            and c.approved_at is not null and c.remedy = 'tick'
            and t.symbol_id = c.symbol_id and (t.entry_seq = c.tick_seq or t.exit_seq = c.tick_seq)) is not true
          union all
          select t.id, c.id from complaint_rulings c
          join trades t on t.symbol_id = c.symbol_id and (t.entry_seq = c.tick_seq or t.exit_seq = c.tick_seq)
          where c.remedy = 'tick' and c.paid_at is not null
            and (t.status = 'Lost' or t.status = 'Sold' and t.payout < t.stake and c.covers_sales)
            and not exists (select from trade_remedies r where r.trade_id = t.id)`,
  },
  {
    name: 'R3',
    says: 'each closed complaint is as the ruling of two people says, and what it credits is an adjustment',
    sql: `select c.id as complaint, r.id as ruling from complaints c
          left join complaint_rulings r on r.complaint_id = c.id and r.approved_at is not null
          left join proposals p on p.kind = 'rulings' and p.id = r.id
          left join adjustments a on a.id = r.adjustment_id left join proposals q on q.kind = 'adjustments' and q.id = a.id
          where (c.closed_at is null) <> (r.id is null)
            or r.id is not null and (p.status = 'Approved' and p.subject = c.id::text and (c.status = 'Upheld') = r.upheld) is not true
            or r.credit is not null and (q.status = 'Approved' and a.amount = r.credit and a.user_id = c.user_id
              and q.proposed_by = p.proposed_by and q.decided_by = p.decided_by) is not true
          union all
          select r.complaint_id, r.id from proposals p join complaint_rulings r on r.id = p.id
          where p.kind = 'rulings' and (p.status = 'Approved') <> (r.approved_at is not null)`,
  },
  {
    name: 'R3',
    says: 'the stakes of an approved ruling are returned within an hour',
    sql: `select id as ruling, approved_at from complaint_rulings
          where approved_at is not null and paid_at is null and approved_at < now() - interval '1 hour'`,
  },
]
