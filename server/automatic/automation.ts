import type { Selectable } from 'kysely'
import type { Parsed } from '#contract/api.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { isStrategyId, type Mode, type StrategyKey } from '#contract/terms.ts'
import {
  type AUTOMATION_STATES,
  type Automation,
  type AutomationSettings,
  DEFAULT_AUTOMATION,
} from '#contract/trading/automatic.ts'
import { dollars, usd, usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { DAY_MS, startOf, toIso } from '#kernel/time.ts'
import { requireNoBlock } from '../guardrails/index.ts'
import { findUser, lockAccountById } from '../identity/index.ts'
import { currentCheck } from '../kyc/index.ts'
import { accountOf } from '../ledger/index.ts'
import { pulledLevers, stopText } from '../levers/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { requireListed } from '../price-lists/index.ts'
import { tapeTime } from '../prices/index.ts'
import { chainEnd } from '../signals/index.ts'
import type { AutomaticDeps } from './deps.ts'
import { type Followable, followable } from './followable.ts'
import { MEASURING_METHOD, measuredTexts } from './measured.ts'
import { type Results, resultsOf } from './outcomes.ts'
import { planTrades, tradesAllowed } from './trades-allowed.ts'

type AutomationState = (typeof AUTOMATION_STATES)[number]
type Row = Selectable<DB['automations']>
type FollowedRow = Selectable<DB['followed_strategies']>

/** Allowed changes of state. Stops act while it runs, and on a loss that settles during a pause (reserve.sql.ts). */
const NEXT: Record<AutomationState, readonly AutomationState[]> = {
  Off: ['Running'],
  Running: ['Paused', 'Stopped', 'Off'],
  Paused: ['Running', 'Stopped', 'Off'],
  Stopped: ['Running', 'Off'],
}

const NO_SETTINGS = 'Save your settings first.'

/** Saves settings. Throws `wrong_state` while automatic trades run. */
export async function saveSettings(deps: AutomaticDeps, userId: bigint, body: Checked): Promise<Automation> {
  const accountId = accountOf(userId, body.mode)
  requireDifferent(body.strategies)
  checkSettings(body)
  const values = {
    days: [...new Set(body.days)].reduce((bits, day) => bits | (1 << day), 0),
    from_hour: body.from_hour,
    to_hour: body.to_hour,
    loss_a_day: body.loss_a_day,
    loss_in_all: body.loss_in_all,
    trades_a_day: body.trades_a_day,
    losses_in_row: body.losses_in_row,
    time_zone: body.time_zone,
    profit_a_day: body.profit_a_day,
    profit_in_all: body.profit_in_all,
    pause_losses: body.pause_losses,
    pause_minutes: body.pause_minutes,
  }
  for (const { strike_rate } of body.strategies) if (strike_rate !== 'best') requireListed(deps.priceLists, strike_rate)
  return inTransaction(deps.db, async (tx) => {
    const row = await lockRow(tx, accountId)
    if (row?.state === 'Running')
      throw new Problem('wrong_state', 'Pause or stop automatic trades before you change their settings.')
    const followed = await followedRows(deps, tx, userId, body)
    const saved = { ...values, settings_after: await chainEnd(tx) }
    await tx
      .insertInto('automations')
      .values({ account_id: accountId, mode: body.mode, ...saved })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ ...saved, ...(row && stillIdle(row)) }))
      .execute()
    await tx.deleteFrom('followed_strategies').where('account_id', '=', accountId).execute()
    await tx.insertInto('followed_strategies').values(followed).execute()
    return read(deps, tx, userId, body.mode)
  })
}

/** A pause after losses ends by its time, or with a new start. Other reasons to wait are looked at again. */
const stillIdle = (row: Row) => (row.idle_reason === 'pause' ? {} : { idle_until: 0n, idle_reason: null })

/** Throws unless all strategies are the platform's, and no two have the same duration. */
export function requirePlatforms(strategies: readonly Named[]): void {
  for (const [at, { strategy }] of strategies.entries())
    if (!isStrategyId(strategy)) throw fieldProblem(`strategies.${at}.strategy`, 'is back-tested in My strategies')
  requireDifferent(strategies)
}

type Named = { strategy: StrategyKey; duration: number }

/** Throws if two are the same strategy with the same duration. */
function requireDifferent(strategies: readonly Named[]): void {
  const keys = new Set<string>()
  for (const [at, { strategy, duration }] of strategies.entries()) {
    if (keys.has(`${strategy} ${duration}`))
      throw fieldProblem(`strategies.${at}.duration`, 'is followed with this strategy already')
    keys.add(`${strategy} ${duration}`)
  }
}

type Stakes = Pick<Checked['strategies'][number], 'stake'>
type Checks =
  | ('from_hour' | 'to_hour' | 'loss_a_day' | 'loss_in_all' | 'losses_in_row')
  | ('profit_a_day' | 'profit_in_all' | 'pause_losses' | 'pause_minutes')

/** Throws if settings contradict each other. */
export function checkSettings(body: Pick<Checked, Checks> & { strategies: readonly Stakes[] }): void {
  if (body.to_hour === body.from_hour) throw fieldProblem('to_hour', 'must differ from the first hour')
  if (body.strategies.some(({ stake }) => stake > body.loss_a_day))
    throw fieldProblem('loss_a_day', 'must be at least the stake')
  if (body.loss_a_day > body.loss_in_all) throw fieldProblem('loss_in_all', 'must be at least the loss a day')
  checkProfits(body)
  checkPause(body)
}

function checkProfits({
  profit_a_day: aDay,
  profit_in_all: inAll,
}: Pick<Checked, 'profit_a_day' | 'profit_in_all'>): void {
  if (aDay !== null && inAll !== null && aDay > inAll)
    throw fieldProblem('profit_in_all', 'must be at least the profit a day')
}

function checkPause({
  pause_losses: losses,
  pause_minutes: minutes,
  losses_in_row: stop,
}: Pick<Checked, 'pause_losses' | 'pause_minutes' | 'losses_in_row'>): void {
  if (losses === null && minutes !== null) throw fieldProblem('pause_losses', 'must not be empty')
  if (losses !== null && minutes === null) throw fieldProblem('pause_minutes', 'must not be empty')
  if (losses !== null && stop !== null && losses >= stop)
    throw fieldProblem('pause_losses', 'must be fewer than the losses in a row that stop')
}

/** The call's body as the contract has checked it. */
type Checked = Parsed<'PUT /automatic', 'body'>

/** Checks that the trader can follow each strategy as they ask, and returns the rows. */
async function followedRows(deps: AutomaticDeps, tx: Tx, userId: bigint, { mode, strategies }: Checked) {
  const known = await followable(
    tx,
    userId,
    strategies.map(({ strategy }) => strategy),
  )
  return strategies.map((one, at) => {
    const strategy = known.get(one.strategy)
    if (!strategy) throw fieldProblem(`strategies.${at}.strategy`, 'is not offered to you')
    const symbols = symbolIds(deps, one.symbols, `strategies.${at}.symbols`)
    requireSignalled(strategy, { duration: one.duration, symbols, at })
    return {
      account_id: accountOf(userId, mode),
      place: at + 1,
      strategy: one.strategy,
      version: strategy.version,
      duration_seconds: one.duration,
      symbol_ids: symbols,
      sides: one.sides,
      strike_rate: one.strike_rate,
      stake: one.stake,
      stake_percent: one.stake_percent,
    }
  })
}

/** Throws if a trader's strategy has no signals of this duration, or of a symbol. */
function requireSignalled(
  { name, only }: Followable,
  { duration, symbols, at }: { duration: number; symbols: readonly number[]; at: number },
): void {
  if (!only) return
  if (duration !== only.durationSeconds)
    throw fieldProblem(
      `strategies.${at}.duration`,
      `must be ${only.durationSeconds / 60} min, as the signals of ${name}`,
    )
  if (symbols.some((id) => !only.symbolIds.includes(id)))
    throw fieldProblem(`strategies.${at}.symbols`, `must be those of ${name}`)
}

function symbolIds({ instruments }: AutomaticDeps, symbols: readonly string[], field: string): number[] {
  const ids = new Set<number>()
  for (const symbol of symbols) {
    const instrument = instruments.bySymbol(symbol)
    if (!instrument?.tradingType) throw fieldProblem(field, `${symbol} is not traded here`)
    ids.add(instrument.id)
  }
  return [...ids].sort((a, b) => a - b)
}

/** Starts or resumes. Throws `wrong_state` with what is missing, and `account_locked` during a time-out or exclusion. */
export async function start(
  deps: AutomaticDeps,
  { userId, mode, confirmed }: { userId: bigint; mode: Mode; confirmed: boolean },
): Promise<Automation> {
  return inTransaction(deps.db, async (tx) => {
    // Closing takes this lock first: none start once it has stopped them.
    if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
    const row = await lockRow(tx, accountOf(userId, mode))
    if (!row) throw new Problem('wrong_state', NO_SETTINGS)
    if (row.state === 'Running') return read(deps, tx, userId, mode)
    if (mode === 'real') await requireNoBlock(tx, userId)
    const now = await read(deps, tx, userId, mode)
    const [first] = now.missing
    if (first) throw new Problem('wrong_state', first.text)
    const [off] = now.switched_off
    if (off && now.switched_off.length === now.settings.strategies.length)
      throw new Problem('wrong_state', `This strategy is switched off: ${off.why}`)
    if (mode === 'real' && !confirmed)
      throw new Problem('wrong_state', 'Confirm that you have read how the strategies did so far.')
    if (row.state === 'Paused') requireNoStop(now)
    await takeNewestVersions(tx, userId, await followedOf(tx, row.account_id))
    await change(tx, row, 'Running', {
      started_at: new Date(),
      confirmed: mode === 'real' ? now.measured.join('. ') : null,
      confirmed_method: mode === 'real' ? MEASURING_METHOD : null,
      // A pause keeps the counts.
      ...(row.state === 'Paused'
        ? stillIdle(row)
        : { counted_after: await chainEnd(tx), idle_until: 0n, idle_reason: null }),
    })
    return read(deps, tx, userId, mode)
  })
}

/** Follows each strategy's newest version. Throws if one can no longer be followed, or signals something else by now. */
async function takeNewestVersions(tx: Tx, userId: bigint, followed: readonly FollowedRow[]): Promise<void> {
  const known = await followable(
    tx,
    userId,
    followed.map(({ strategy }) => strategy),
  )
  for (const one of followed) {
    const now = known.get(one.strategy)
    if (!now)
      throw new Problem('wrong_state', 'A strategy that you follow is no longer offered. Remove it from your settings.')
    requireSignalled(now, { duration: one.duration_seconds, symbols: one.symbol_ids, at: one.place - 1 })
    await tx
      .updateTable('followed_strategies')
      .set({ version: now.version })
      .where('account_id', '=', one.account_id)
      .where('place', '=', one.place)
      .execute()
  }
}

/** Throws if a stop's limit has been reached: settings can change during a pause, and results stay counted. */
function requireNoStop({ settings, total: { losses_in_row: losses, result } }: Automation): void {
  const limit = settings.losses_in_row
  if (limit !== null && losses >= limit) {
    throw new Problem(
      'wrong_state',
      `You have ${losses} ${losses === 1 ? 'loss' : 'losses'} in a row, and your settings stop at ${limit}. Raise that limit, or stop and start again: losses then count from zero.`,
    )
  }
  const profit = settings.profit_in_all
  if (profit === null || result < profit) return
  throw new Problem(
    'wrong_state',
    `Your profit since the start has reached your take-profit of ${dollars(usd(BigInt(Math.round(profit * 100))))}. Raise it, or stop and start again: results then count from zero.`,
  )
}

/** Pauses automatic trades, or stops them. Cancels reservations that are not accepted yet. */
export async function halt(
  deps: AutomaticDeps,
  { userId, mode, to }: { userId: bigint; mode: Mode; to: 'Paused' | 'Off' },
): Promise<Automation> {
  return inTransaction(deps.db, async (tx) => {
    const row = await lockRow(tx, accountOf(userId, mode))
    if (row && row.state !== to) {
      if (!NEXT[row.state].includes(to)) throw new Problem('wrong_state', 'Automatic trades are not running.')
      await change(tx, row, to)
      await giveUpReservations(tx, [row.account_id])
    }
    return read(deps, tx, userId, mode)
  })
}

/**
 * Stops an account's automatic trades in the caller's transaction, if they run. Cancels reservations that are not
 * accepted yet.
 */
export async function stopAutomatic(tx: Tx, accountId: bigint, why: string): Promise<void> {
  const row = await lockRow(tx, accountId)
  if (row?.state !== 'Running') return
  await tx
    .updateTable('automations')
    .set({ state: 'Stopped', stop_reason: why })
    .where('account_id', '=', row.account_id)
    .execute()
  await giveUpReservations(tx, [row.account_id])
}

/** Cancels what these accounts have reserved and not traded yet. */
export const giveUpReservations = (tx: Tx, accountIds: readonly bigint[]): Promise<unknown> =>
  sql`
    update automatic_orders set status = 'Skipped', reason = 'ended', slot = null
    where account_id = any (${accountIds}::bigint[]) and status = 'Reserved'`.execute(tx)

async function change(tx: Tx, row: Row, to: AutomationState, more: Partial<Row> = {}): Promise<void> {
  if (!NEXT[row.state].includes(to))
    throw new Problem('wrong_state', `Automatic trades are ${row.state.toLowerCase()}.`)
  await tx
    .updateTable('automations')
    .set({ ...more, state: to, stop_reason: null })
    .where('account_id', '=', row.account_id)
    .execute()
}

const lockRow = (tx: Tx, accountId: bigint): Promise<Row | undefined> =>
  tx.selectFrom('automations').selectAll().where('account_id', '=', accountId).forUpdate().executeTakeFirst()

/** Returns an account's automatic trades as its owner sees them. */
export async function read(deps: AutomaticDeps, db: Db | Tx, userId: bigint, mode: Mode): Promise<Automation> {
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

const followedOf = (db: Db | Tx, accountId: bigint): Promise<FollowedRow[]> =>
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

const shown = ({ won, lost, result }: Results) => ({ won, lost, result: usdToNumber(usd(result)) })

const amount = (value: bigint) => usdToNumber(usd(value))

function settingsOf({ instruments }: AutomaticDeps, row: Row, followed: readonly FollowedRow[]): AutomationSettings {
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
