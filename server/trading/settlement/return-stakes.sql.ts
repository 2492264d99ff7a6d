import type { Ms } from '#kernel/time.ts'
import { sql } from '../../platform/database/db.ts'

/** A price on the tape that decided trades, as their entry or exit. */
export interface DecidingTick {
  symbolId: number
  seq: bigint
  /** Its source time. */
  at: Ms
}

/** SQL: whether a trade `t` has lost money. */
export const LOST = sql`t.status in ('Lost', 'Sold') and t.payout < t.stake`

/** What a batch returned to one account. */
interface ReturnedRow {
  account_id: bigint
  trades: number
  total: bigint
  repaid: bigint
}

/**
 * Returns what up to `limit` trades lost on a wrong price: their stakes, less what they were sold for. `above`, `below`: ranges of ids that hold every
 * trade that it can have decided. The stake of a debtor repays the debt first. A stake that was returned before is left
 * out, and two rulings that want the same one at once fail on its key. Accounts are locked in id order; one that another
 * transaction has locked is left out, so that nobody waits for it.
 */
export const returnStakesSql = ({
  rulingId,
  tick,
  above,
  below,
  limit,
}: {
  rulingId: bigint
  tick: DecidingTick
  above: readonly bigint[]
  below: readonly bigint[]
  limit: number
}) => sql<ReturnedRow>`
with lost as materialized (
  select t.id, t.account_id, t.mode, t.stake - t.payout as loss
  from unnest(${above}::bigint[], ${below}::bigint[]) as ids(above, below)
  join trades t on t.id > ids.above and t.id < ids.below
  where t.symbol_id = ${tick.symbolId} and ${LOST} and (t.entry_seq = ${tick.seq} or t.exit_seq = ${tick.seq})
    and not exists (select from trade_remedies r where r.trade_id = t.id)
), locked as materialized (
  -- Accounts that are left out don't count towards the limit.
  select a.id, a.balance, a.owed, a.seq from accounts a where a.id in (select account_id from lost)
  order by a.id limit ${limit} for no key update skip locked
), due as materialized (
  select t.* from lost t join locked l on l.id = t.account_id order by t.account_id, t.id limit ${limit}
), split as materialized (
  select d.*, least(d.loss, greatest(-l.owed - sum(d.loss) over so_far + d.loss, 0)) as repaid
  from due d join locked l on l.id = d.account_id
  window so_far as (partition by d.account_id order by d.id)
), parts as materialized (
  select s.account_id, s.mode, s.id, p.part, p.credit, p.amount,
    row_number() over by_account as ordinal,
    sum(case p.credit when 'balance' then p.amount else 0 end) over by_account as gained
  from split s
  cross join lateral (values (1::smallint, 'owed'::slot, s.repaid), (2::smallint, 'balance'::slot, s.loss - s.repaid)) p(part, credit, amount)
  where p.amount > 0
  window by_account as (partition by s.account_id order by s.id, p.part)
), moved_accounts as (
  update accounts a set balance = a.balance + g.gained, owed = a.owed + g.repaid, seq = a.seq + g.parts,
    last_at = greatest(clock_timestamp(), a.last_at)
  from (
    select account_id, count(*) as parts,
      coalesce(sum(amount) filter (where credit = 'owed'), 0) as repaid,
      coalesce(sum(amount) filter (where credit = 'balance'), 0) as gained
    from parts group by account_id
  ) g
  where a.id = g.account_id
  returning a.id, a.last_at
), moved as (
  insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
  select 'trade_remedy'::cause, p.id, p.part, p.account_id, p.mode, 'house', p.credit, p.amount, l.seq + p.ordinal, l.balance + p.gained, m.last_at
  from parts p join locked l on l.id = p.account_id join moved_accounts m on m.id = p.account_id
), recorded as (
  insert into trade_remedies (trade_id, ruling_id, account_id, amount)
  select s.id, ${rulingId}::bigint, s.account_id, s.loss from split s
)
select s.account_id, count(*)::int as trades, sum(s.loss)::bigint as total, sum(s.repaid)::bigint as repaid
from split s group by s.account_id order by s.account_id`
