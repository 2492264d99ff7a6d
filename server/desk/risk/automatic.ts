import type { Parsed } from '#contract/api.ts'
import type { DeskStrategy } from '#contract/desk/markets/automatic.ts'
import { STRATEGY_IDS, type StrategyId } from '#contract/terms.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { DAY_MS, SECOND_MS, startOf, toIso } from '#kernel/time.ts'
import { switchOff } from '../../automatic/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { tapeTime } from '../../prices/index.ts'
import { strategyOf } from '../../strategies/index.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { dollars, isoOf, readLists } from '../lists/read.ts'

/** More than an order follows the close of its signal's candle. */
const SIGNAL_AGE_MS = 15 * SECOND_MS

interface Of {
  strategy: StrategyId
  mode: Mode
}

/** Returns followers, today's trades and stops, and open stakes of each strategy. */
export async function automaticTrades(db: Db | Tx): Promise<DeskStrategy[]> {
  const dayStart = startOf(Number(await tapeTime(db)), DAY_MS)
  const day = sql`${toIso(dayStart).slice(0, 10)}::date`
  const lists = await readLists<{
    followers: Of & { running: number; paused: number }
    today: Of & { trades: number; stops: number }
    open: Of & { trades: number; stake: number }
    off: { strategy: StrategyId; at: string; reason: string; restart: string | null; operator: string; email: string }
  }>(db, {
    followers: sql`
      select f.strategy, a.mode, (count(distinct a.account_id) filter (where a.state = 'Running'))::int as running,
        (count(distinct a.account_id) filter (where a.state = 'Paused'))::int as paused
      from followed_strategies f join automations a using (account_id) group by f.strategy, a.mode`,
    today: sql`
      select s.strategy, o.mode, (count(*) filter (where o.status = 'Traded'))::int as trades,
        (count(*) filter (where o.reason = 'stop' or o.stopped))::int as stops
      from automatic_orders o
      -- Finds the day's signals by their index: an order is looked up only among them, however many there have been.
      join signals s on s.n = o.signal and s.candle_close >= ${dayStart - SIGNAL_AGE_MS}
      where o.day = ${day} and (o.status = 'Traded' or o.reason = 'stop') group by s.strategy, o.mode`,
    open: sql`
      select s.strategy, t.mode, count(*)::int as trades, sum(t.stake)::bigint as stake
      from trades t join signals s on s.n = t.signal where t.status = 'Pending' group by s.strategy, t.mode`,
    off: sql`
      select w.strategy, w.off_at as at, w.why as reason, r.id::text as restart, p.id::text as operator, p.email
      from strategy_switches w left join proposals r
        on r.kind = 'strategy-restarts' and r.subject = w.strategy::text and r.status = 'Pending'
      left join operators p on p.id = r.proposed_by`,
  })
  return STRATEGY_IDS.map((strategy) => {
    const of = (mode: Mode) => {
      const mine = (row: Of) => row.strategy === strategy && row.mode === mode
      const followers = lists.followers.find(mine)
      const today = lists.today.find(mine)
      const open = lists.open.find(mine)
      return {
        running: followers?.running ?? 0,
        paused: followers?.paused ?? 0,
        trades_today: today?.trades ?? 0,
        stops_today: today?.stops ?? 0,
        open_trades: open?.trades ?? 0,
        open_stake: dollars(open?.stake ?? 0),
      }
    }
    const off = lists.off.find((row) => row.strategy === strategy)
    return {
      strategy,
      name: strategyOf(strategy).name,
      real: of('real'),
      demo: of('demo'),
      switched_off: off
        ? {
            at: isoOf(off.at),
            reason: off.reason,
            restart:
              off.restart === null
                ? null
                : { id: off.restart, proposed_by: { operator_id: off.operator, email: off.email } },
          }
        : null,
    }
  })
}

/** Switches off one strategy or all. Those that are off already stay as they are. */
export function switchOffStrategies(
  { db }: Pick<DeskDeps, 'db'>,
  who: WhoOperates,
  { strategy, reason }: Parsed<'POST /desk/automatic/switch-off', 'body'>,
): Promise<DeskStrategy[]> {
  return audited(db, who, async (tx) => {
    const before = offOf(await automaticTrades(tx))
    await switchOff(tx, strategy === 'all' ? STRATEGY_IDS : [strategy], reason)
    const answer = await automaticTrades(tx)
    return {
      answer,
      entry: {
        action: 'switch-off',
        item: { kind: 'strategies', id: strategy },
        before: { switched_off: before },
        after: { switched_off: offOf(answer) },
        why: reason,
      },
    }
  })
}

const offOf = (strategies: readonly DeskStrategy[]) =>
  strategies.filter((one) => one.switched_off !== null).map((one) => one.strategy)
