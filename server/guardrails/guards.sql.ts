import { PERIODS } from '#contract/account/guardrails.ts'
import { countSql } from '../ledger/index.ts'

/**
 * Why no real trade is possible: a time-out or exclusion, a reality check that is due, or a row of `guards` that this
 * statement can't see yet or that another transaction has locked, so that it must run again.
 */
export type GuardStop = 'blocked' | 'check' | 'again'

/** Returns, as SQL text, the seconds spent in a period; `starts` has the columns of `periodStartsSql`. */
export const spentSql = (guards: string, period: (typeof PERIODS)[number], starts: string): string =>
  `case when ${guards}.time_on >= ${starts}.${period}_from then ${guards}.spent_${period} else 0 end`

/** Whether a reality check is due. */
export const CHECK_DUE_SQL = 'coalesce(g.unchecked_seconds >= g.check_minutes * 60, false)'

const rooms = PERIODS.flatMap((period) => [
  `('stakes_${period}', g.stakes_${period} - (${countSql('l', 'staked', period, 'c')}))`,
  // Open stakes count as lost, so that the limit holds however they end.
  `('losses_${period}', g.losses_${period} - (${countSql('l', 'lost', period, 'c')}) - l.escrow)`,
  `('time_${period}', case when (${spentSql('g', period, 'c')}) >= g.time_${period} * 60 then 0::bigint end)`,
])

/**
 * A part of the statement that accepts trades, after locked (the accounts, locked) and clock: what the limits of
 * guarded traders allow. Locks their rows, so that it reads the newest limits, not those of the statement's snapshot. An
 * account without limits costs nothing but its flag.
 */
export const GUARDS_SQL = `
  select l.id, case
      when g.account_id is null then 'again'
      when g.blocked_until > clock_timestamp() then 'blocked'
      when ${CHECK_DUE_SQL} then 'check'
    end as stop, t.guard, t.room
  from locked l
  cross join clock c
  left join lateral (select * from guards x where x.account_id = l.id limit 1 for no key update skip locked) g on true
  left join lateral (
    select v.guard, v.room from (values ${rooms.join(',\n      ')}) as v(guard, room)
    where v.room is not null order by v.room limit 1
  ) t on true
  where l.guarded and l.mode = 'real'`
