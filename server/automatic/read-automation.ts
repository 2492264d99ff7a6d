import type { Selectable } from 'kysely'
import type { Mode } from '#contract/terms.ts'
import { type Automation, type AutomationSettings, DEFAULT_AUTOMATION } from '#contract/trading/automatic.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { DAY_MS, startOf, toIso } from '#kernel/time.ts'
import { findUser } from '../identity/index.ts'
import { currentCheck } from '../kyc/index.ts'
import { accountOf } from '../ledger/index.ts'
import { pulledLevers, stopText } from '../levers/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { tapeTime } from '../prices/index.ts'
import { chainEnd } from '../signals/index.ts'
import type { AutomaticDeps } from './deps.ts'
import { measuredTexts } from './measured.ts'
import { type Results, resultsOf } from './outcomes.ts'
import { planTrades, tradesAllowed } from './trades-allowed.ts'

export type AutomationRow = Selectable<DB['automations']>
export type FollowedRow = Selectable<DB['followed_strategies']>

/** Returns an account's automatic trades as its owner sees them. */
export async function readAutomation(
  deps: AutomaticDeps,
  db: Db | Tx,
  userId: bigint,
  mode: Mode,
): Promise<Automation> {
  const accountId = accountOf(userId, mode)
  const row = await db.selectFrom('automations').selectAll().where('account_id', '=', accountId).executeTakeFirst()
  const user = await findUser(db, userId)
  const check = mode === 'real' ? await currentCheck(db, userId) : undefined
  const settings = row ? settingsOf(deps, row, await followedOf(db, accountId)) : DEFAULT_AUTOMATION
  const now = Number(await tapeTime(db))
  const { today, total, open } = await resultsOf(db, {
    accountId,
    now,
    after: row?.counted_after ?? (await chainEnd(db)),
  })
  const off = await db
    .selectFrom('strategy_switches')
    .select(['strategy', 'why'])
    .where('strategy', 'in', [...new Set(settings.strategies.map(({ strategy }) => strategy))])
    .execute()
  const isIdle = row?.state === 'Running' && row.idle_reason !== null && Number(row.idle_until) > now
  return {
    mode,
    state: row?.state ?? 'Off',
    stop_reason: row?.stop_reason ?? undefined,
    settings,
    saved: row !== undefined,
    started_at: row?.started_at?.toISOString(),
    missing: [
      ...(mode === 'real' && planTrades(user?.trading_plan) === 0
        ? [{ text: 'Choose a plan first. Automatic trades with real money need one.', path: '/user/plan' }]
        : []),
      ...(mode === 'real' && check?.status !== 'Approved'
        ? [{ text: 'Verify your identity: trading real money automatically requires it.', path: '/user/verify' }]
        : []),
    ],
    switched_off: settings.strategies.flatMap(({ strategy }) => off.find((one) => one.strategy === strategy) ?? []),
    stopped: await stopOf(db, mode, symbolsOf(settings)),
    today: {
      ...shown(today),
      used: today.trades,
      limit: tradesAllowed(mode, user?.trading_plan, settings.trades_a_day),
      resets_at: toIso(startOf(now, DAY_MS) + DAY_MS),
    },
    open,
    total: { ...shown(total), trades: total.trades, losses_in_row: total.lossesInRow },
    ...(isIdle ? { idle: { until: toIso(Number(row.idle_until)), reason: must(row.idle_reason) } } : {}),
    measured: await measuredTexts(deps, db, userId, settings.strategies),
  }
}

/** Returns the strategies that an account follows, the upper one first. */
export const followedOf = (db: Db | Tx, accountId: bigint): Promise<FollowedRow[]> =>
  db.selectFrom('followed_strategies').selectAll().where('account_id', '=', accountId).orderBy('place').execute()

/** Returns the symbols that the strategies trade; none if one of them trades all. */
const symbolsOf = ({ strategies }: AutomationSettings): string[] =>
  strategies.some(({ symbols }) => symbols.length === 0)
    ? []
    : [...new Set(strategies.flatMap(({ symbols }) => symbols))]

/** Returns what operators have stopped of what the account trades; of symbols, only if that leaves none. */
async function stopOf(db: Db | Tx, mode: Mode, symbols: readonly string[]): Promise<string | undefined> {
  const levers = await pulledLevers(db)
  const real = mode === 'real' ? levers.find(({ kind }) => kind === 'real-trading') : undefined
  const stopped = levers.filter(({ symbol }) => symbol !== null && symbols.includes(symbol))
  const lever = real ?? (symbols.length > 0 && stopped.length === symbols.length ? stopped[0] : undefined)
  return lever && stopText(lever)
}

const shown = ({ won, lost, sold, result }: Results) => ({ won, lost, sold, result: usdToNumber(usd(result)) })

const amount = (value: bigint) => usdToNumber(usd(value))

function settingsOf(
  { instruments }: AutomaticDeps,
  row: AutomationRow,
  followed: readonly FollowedRow[],
): AutomationSettings {
  return {
    strategies: followed.map((one) => ({
      strategy: one.strategy,
      symbols: one.symbol_ids.map((id) => instruments.byId(id)?.symbol ?? String(id)),
      duration: one.duration_seconds,
      sides: one.sides,
      strike_rate: one.strike_rate,
      stake: amount(one.stake),
      stake_percent: one.stake_percent,
    })),
    days: [0, 1, 2, 3, 4, 5, 6].filter((day) => (row.days >> day) & 1),
    from_hour: row.from_hour,
    to_hour: row.to_hour,
    loss_a_day: amount(row.loss_a_day),
    loss_in_all: amount(row.loss_in_all),
    trades_a_day: row.trades_a_day,
    losses_in_row: row.losses_in_row,
    time_zone: row.time_zone,
    profit_a_day: row.profit_a_day === null ? null : amount(row.profit_a_day),
    profit_in_all: row.profit_in_all === null ? null : amount(row.profit_in_all),
    pause_losses: row.pause_losses,
    pause_minutes: row.pause_minutes,
  }
}
