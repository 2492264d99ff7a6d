import { countedSql, dayOfSql, periodStartsSql } from './period-counts.ts'

/**
 * How the movements of each cause are posted. `isGain`: stake and profit come back as one gain, which passes the balance and
 * counts towards what the trader lost in a period. What a ruling returns is neither.
 */
const CAUSES = {
  trade_settle: { isGain: true },
  trade_sale: { isGain: true },
  trade_remedy: { isGain: false },
}

/** Splits each part as `debtFirst` of post.ts does: in a row of the debt that it repays, and one of the rest. */
const DEBT_FIRST = `split as (
  select p.*, least(p.amount, greatest(-l.owed - sum(p.amount) over so_far + p.amount, 0)) as repays
  from parts p join locked l on l.id = p.account_id
  window so_far as (partition by p.account_id order by p.id, p.part)
), each_part as (
  select s.account_id, s.mode, s.id, (2 * s.part + side.nth)::smallint as part, s.debit, side.credit, side.amount
  from split s
  cross join lateral (values (-1, 'owed'::slot, s.repays), (0, 'balance'::slot, s.amount - s.repays)) side(nth, credit, amount)
  where side.amount > 0
)`

/** Leaves each part as it is. */
const WHOLE = 'each_part as (select * from parts)'

/**
 * Returns, as SQL text, the last CTEs of a statement that posts the movements of one cause in sets, by the rules of `post`:
 * `moved_accounts` changes the accounts and returns each one's `id` and what it `repaid`, and `moved` writes the transfers.
 * Money that reaches a debtor repays the debt: directly if all of it comes from outside the account, else as one more
 * movement, whose cause id is the last one that paid. It needs two CTEs before it: `locked` (`id`, `balance`, `owed` and
 * `seq` of the accounts, locked) and `parts` (`account_id`, `mode`, `id` of the cause, `part`, `debit`, `credit` and
 * `amount`, which is positive; for gains also the trade's `end_time`).
 */
export function postPartsSql(cause: keyof typeof CAUSES): string {
  const { isGain } = CAUSES[cause]
  const starts = isGain ? `, ${periodStartsSql(dayOfSql('max(end_time)'))}` : ''
  const counted = isGain ? `, ${countedSql('s', { lost: 's.lost' })}` : ''
  return `${isGain ? WHOLE : DEBT_FIRST}, posted as materialized (
  select p.*, row_number() over by_account as ordinal,
    sum(case when p.credit = 'balance' then p.amount else 0 end) over by_account as gained
  from each_part p
  window by_account as (partition by p.account_id order by p.id, p.part)
), moved_accounts as (
  update accounts a set balance = a.balance + s.gained - s.repayment, escrow = a.escrow - s.released, owed = a.owed + s.repaid,
    seq = a.seq + s.parts + sign(s.repayment)::int, last_at = greatest(clock_timestamp(), a.last_at)${counted}
  from (
    select g.*, g.direct + r.repayment as repaid, r.repayment
    from (
      select account_id, count(*) as parts, max(gained) as gained, max(id) filter (where credit = 'balance') as paid_by,
        coalesce(sum(amount) filter (where debit = 'escrow'), 0) as released, coalesce(sum(amount) filter (where credit = 'owed'), 0) as direct,
        sum(case when credit = 'house' then amount when debit = 'house' then -amount else 0 end) as lost${starts}
      from posted group by account_id
    ) g join locked l on l.id = g.account_id, lateral (select least(g.gained, -l.owed - g.direct) as repayment) r
  ) s
  where a.id = s.account_id
  returning a.id, a.mode, a.balance, a.seq, a.last_at, s.repaid, s.repayment, s.paid_by
), moved as (
  insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
  select '${cause}'::cause, p.id, p.part, p.account_id, p.mode, p.debit, p.credit, p.amount, l.seq + p.ordinal, l.balance + p.gained, m.last_at
  from posted p join locked l on l.id = p.account_id join moved_accounts m on m.id = p.account_id
  union all
  select 'debt_repayment', m.paid_by, 1, m.id, m.mode, 'balance', 'owed', m.repayment, m.seq, m.balance, m.last_at
  from moved_accounts m where m.repayment > 0
)`
}
