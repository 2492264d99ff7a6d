import type { DeskOverview } from '#contract/desk/overview.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { sql } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { LIVING_CLAIM } from '../actions/claims.ts'
import type { DeskDeps } from '../deps.ts'
import { sourceOf } from '../risk/feeds.ts'

interface Row {
  queue: string
  waiting: number
  claimed: number
  mine: number
  oldest: Date | null
  amount: bigint
}

/**
 * Returns what is pending in each queue and what needs a second approval: count, age of the oldest item, and total
 * amount.
 */
export async function overview(deps: Pick<DeskDeps, 'db' | 'prices'>, who: WhoOperates): Promise<DeskOverview> {
  const { rows } = await sql<Row>`
    with waiting(queue, id, at, amount) as (
      select 'identity-checks', id, created_at, 0::bigint from identity_checks
        where status = 'Pending' and superseded_at is null and user_id in (select id from users where ended_at is null)
      union all select 'deposits', id, created_at, announced from deposits where status = 'Pending' and method = 'crypto'
      union all select 'withdrawals', id, created_at, amount from withdrawals where status in ('Pending', 'Processing')
      union all select 'plan-requests', id, requested_at,
        100 * (split_part(plan, '-', 2)::bigint - split_part(from_plan, '-', 2)::bigint) from plan_requests where status = 'Pending'
      union all select 'messages', id, created_at, 0 from contact_messages where status = 'Open'
      union all select 'chats', id, waits_since, 0 from chats where waits_since is not null
      union all select 'adjustments', id, proposed_at, abs(amount) from adjustments where status = 'Pending'
      union all select 'reversals', id, proposed_at, amount from reversal_proposals where status = 'Pending'
      union all select 'factor-resets', id, proposed_at, 0 from factor_resets where status = 'Pending'
      union all select 'settings', id, proposed_at, 0 from settings_changes where status = 'Pending'
      union all select 'voids', v.trade_id, v.proposed_at, t.stake from trade_voids v join trades t on t.id = v.trade_id
        where v.completed_by is null and t.status = 'Pending'
    ), held as (
      select queue, item_id, operator_id from claims where ${LIVING_CLAIM}
    )
    select q.queue, count(w.id)::int as waiting, count(h.operator_id)::int as claimed,
      (count(*) filter (where h.operator_id = ${who.operatorId}))::int as mine, min(w.at) as oldest,
      coalesce(sum(w.amount), 0)::bigint as amount
    from unnest(array['deposits', 'withdrawals', 'identity-checks', 'plan-requests', 'messages', 'chats', 'adjustments', 'reversals', 'factor-resets', 'voids', 'settings'])
      with ordinality as q(queue, place)
    left join waiting w on w.queue = q.queue left join held h on h.queue = w.queue and h.item_id = w.id
    group by q.queue, q.place order by q.place`.execute(deps.db)
  const { rows: open } = await sql<{ book: 'real' | 'demo'; trades: number; stake: bigint }>`
    select book, count(*)::int as trades, sum(stake)::bigint as stake from trades where status = 'Pending' group by book`.execute(
    deps.db,
  )
  const { rows: users } = await sql<{ users: number }>`
    select count(*)::int as users from users where ended_at is null`.execute(deps.db)
  const of = (book: 'real' | 'demo') => open.find((row) => row.book === book)
  const { tape, instruments } = deps.prices
  return {
    queues: rows.map((row) => ({
      queue: row.queue,
      waiting: row.waiting,
      unclaimed: row.waiting - row.claimed,
      mine: row.mine,
      oldest_at: row.oldest?.toISOString() ?? null,
      amount: usdToNumber(usd(row.amount)),
    })),
    open_trades: {
      real: of('real')?.trades ?? 0,
      demo: of('demo')?.trades ?? 0,
      real_stake: usdToNumber(usd(of('real')?.stake ?? 0n)),
      demo_stake: usdToNumber(usd(of('demo')?.stake ?? 0n)),
    },
    users: users[0]!.users,
    feeds: {
      source: sourceOf(deps.prices),
      health: deps.prices.health(),
      stale: instruments.list.filter((one) => one.tradingType !== null && tape.status(one.symbol).status === 'stale')
        .length,
    },
  }
}
