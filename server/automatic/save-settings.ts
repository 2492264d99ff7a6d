import type { Parsed } from '#contract/api.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { isStrategyId, type StrategyKey } from '#contract/terms.ts'
import type { Automation } from '#contract/trading/automatic.ts'
import { accountOf } from '../ledger/index.ts'
import { inTransaction, type Tx } from '../platform/database/db.ts'
import { requireListed } from '../price-lists/index.ts'
import { chainEnd } from '../signals/index.ts'
import { lockAutomation, stillIdle } from './automation.ts'
import type { AutomaticDeps } from './deps.ts'
import { followable, requireSignalled } from './followable.ts'
import { readAutomation } from './read-automation.ts'

/** The call's body as the contract has checked it. */
type Checked = Parsed<'PUT /automatic', 'body'>

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
    const row = await lockAutomation(tx, accountId)
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
    return readAutomation(deps, tx, userId, body.mode)
  })
}

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

function symbolIds({ instruments }: AutomaticDeps, symbols: readonly string[], field: string): number[] {
  const ids = new Set<number>()
  for (const symbol of symbols) {
    const instrument = instruments.bySymbol(symbol)
    if (!instrument?.tradingType) throw fieldProblem(field, `${symbol} is not traded here`)
    ids.add(instrument.id)
  }
  return [...ids].sort((a, b) => a - b)
}
