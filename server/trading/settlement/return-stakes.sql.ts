import type { Ms } from '#kernel/time.ts'
import { postPartsSql } from '../../ledger/index.ts'
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
), parts as (
  select d.account_id, d.mode, d.id, 1 as part, 'house'::slot as debit, 'balance'::slot as credit, d.loss as amount from due d
), ${sql.raw(postPartsSql('trade_remedy'))}, recorded as (
  insert into trade_remedies (trade_id, ruling_id, account_id, amount)
  select d.id, ${rulingId}::bigint, d.account_id, d.loss from due d
)
select d.account_id, count(*)::int as trades, sum(d.loss)::bigint as total, max(m.repaid)::bigint as repaid
from due d join moved_accounts m on m.id = d.account_id group by d.account_id order by d.account_id`
