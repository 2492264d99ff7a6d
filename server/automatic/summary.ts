import type { Mode } from '#contract/terms.ts'
import { dollars, usd } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import { findUser } from '../identity/index.ts'
import { userOf } from '../ledger/index.ts'
import type { News } from '../notices/index.ts'
import { inTransaction, sql, type Tx } from '../platform/database/db.ts'
import { tapeTime } from '../prices/index.ts'
import type { AutomaticDeps } from './deps.ts'
import { followable } from './followable.ts'
import { type Followed, measuredText } from './measured.ts'
import { COUNTS } from './outcomes.ts'
import { tradesAllowed } from './trades-allowed.ts'

interface DayRow {
  account_id: bigint
  day: string
  trades: bigint
  won: bigint
  lost: bigint
  sold: bigint
  result: bigint
  mode: Mode
  trades_a_day: number
}

interface FollowedRow extends Omit<Followed, 'duration'> {
  account_id: bigint
  duration_seconds: number
}

/** Accounts whose summaries are written in one transaction. */
const AT_ONCE = 100

/**
 * Writes the summaries of days that are over and whose trades have all settled, once each. Ignores days that ended more
 * than two days ago. Returns how many it wrote.
 */
export async function sendSummaries(
  deps: Pick<AutomaticDeps, 'db' | 'notices' | 'tape' | 'priceLists'>,
): Promise<number> {
  return inTransaction(deps.db, async (tx) => {
    const today = toIso(Number(await tapeTime(tx))).slice(0, 10)
    const { rows } = await sql<DayRow>`
      with due as (
        select account_id, day, count(*) as trades, ${COUNTS}, sum(payout - stake)::bigint as result
        from automatic_orders o
        where status = 'Traded' and day < ${today}::date and day >= ${today}::date - 2
          and not exists (select from automatic_summaries s where s.account_id = o.account_id and s.day = o.day)
        group by account_id, day having count(*) = count(payout) order by account_id, day limit ${AT_ONCE}
      ), sent as (
        insert into automatic_summaries (account_id, day) select account_id, day from due on conflict do nothing
        returning account_id, day
      )
      select d.account_id, d.day::text as day, d.trades, d.won, d.lost, d.sold, d.result,
        a.mode, a.trades_a_day
      from due d join sent using (account_id, day) join automations a using (account_id)`.execute(tx)
    const measured = measuredOnce(deps, tx)
    const followed = await followedBy(
      tx,
      rows.map((row) => row.account_id),
    )
    for (const row of rows) {
      const userId = userOf(row.account_id)
      const plan = row.mode === 'real' ? (await findUser(tx, userId))?.trading_plan : undefined
      const allowed = tradesAllowed(row.mode, plan, row.trades_a_day)
      const remarks: string[] = []
      const theirs = followed.get(row.account_id) ?? []
      const known = await followable(
        tx,
        userId,
        theirs.map(({ strategy }) => strategy),
      )
      for (const one of theirs) {
        const strategy = known.get(one.strategy)
        if (strategy) remarks.push(`The ${strategy.name} strategy so far: ${await measured(strategy.version, one)}.`)
      }
      await deps.notices.write(tx, { userId, ...summaryOf(row, { allowed, remarks }) })
    }
    return rows.length
  })
}

/** Returns what accounts follow, by account. */
async function followedBy(tx: Tx, accountIds: readonly bigint[]): Promise<Map<bigint, FollowedRow[]>> {
  const { rows } = await sql<FollowedRow>`
    select account_id, strategy, duration_seconds, sides, strike_rate from followed_strategies
    where account_id = any (${accountIds}::bigint[]) order by account_id, place`.execute(tx)
  return Map.groupBy(rows, (row) => row.account_id)
}

/** Reads the measured results once for all accounts with the same settings. */
function measuredOnce(deps: Pick<AutomaticDeps, 'tape' | 'priceLists'>, tx: Tx) {
  const read = new Map<string, Promise<string>>()
  return (
    version: number,
    { strategy, duration_seconds: duration, sides, strike_rate }: FollowedRow,
  ): Promise<string> => {
    const key = `${strategy} ${version} ${duration} ${sides} ${strike_rate}`
    const text = read.get(key) ?? measuredText(deps, tx, version, { strategy, duration, sides, strike_rate })
    read.set(key, text)
    return text
  }
}

/**
 * A day's summary: one sentence in the app, a short table by e-mail. Trades that were neither won, lost nor sold returned
 * their stake.
 */
function summaryOf(
  row: DayRow,
  { allowed, remarks }: { allowed: number; remarks: readonly string[] },
): Omit<News, 'userId'> {
  const { trades, won, lost, sold, day, mode } = row
  const result = `${row.result < 0n ? '−' : '+'}${dollars(usd(row.result < 0n ? -row.result : row.result))}`
  const returned = trades - won - lost - sold
  return {
    kind: 'automatic',
    title: `Your automatic trades on ${day}`,
    text:
      `${trades} ${trades === 1n ? 'trade' : 'trades'} on your ${mode} account: ${won} won, ${lost} lost` +
      `${sold > 0n ? `, ${sold} sold early` : ''}${returned > 0n ? `, ${returned} returned` : ''}. Result: ${result}.`,
    path: '/user/automatic',
    mail: {
      paragraphs: [`Here are the results of your automatic trades on ${day} (UTC), on your ${mode} account.`],
      facts: [
        // The limit may have been lowered since.
        ['Trades', `${trades} of ${Math.max(allowed, Number(trades))} allowed`],
        ['Won', String(won)],
        ['Lost', String(lost)],
        ...(sold > 0n ? ([['Sold early', String(sold)]] as const) : []),
        ['Draw or void, stake returned', String(returned)],
        ['Net result', result],
      ],
      remarks: [...remarks, "Past results don't predict the next trades, and you can lose every stake."],
      actionLabel: 'See each trade',
      after: [
        'We send this once after each day with automatic trades. You can pause or stop them on the same page.',
        "If you didn't start automatic trades, change your password and contact us.",
      ],
    },
  }
}
