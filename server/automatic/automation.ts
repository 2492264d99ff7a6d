import { Problem } from '#contract/problem.ts'
import type { Mode } from '#contract/terms.ts'
import type { AUTOMATION_STATES, Automation } from '#contract/trading/automatic.ts'
import { dollars, usd } from '#kernel/money.ts'
import { requireNoBlock } from '../guardrails/index.ts'
import { lockAccountById } from '../identity/index.ts'
import { accountOf } from '../ledger/index.ts'
import { inTransaction, sql, type Tx } from '../platform/database/db.ts'
import { chainEnd } from '../signals/index.ts'
import type { AutomaticDeps } from './deps.ts'
import { followable, requireSignalled } from './followable.ts'
import { MEASURING_METHOD } from './measured.ts'
import { type AutomationRow, type FollowedRow, followedOf, readAutomation } from './read-automation.ts'

type AutomationState = (typeof AUTOMATION_STATES)[number]

/** Allowed changes of state. Stops act while it runs, and on a loss that settles during a pause (reserve.sql.ts). */
const NEXT: Record<AutomationState, readonly AutomationState[]> = {
  Off: ['Running'],
  Running: ['Paused', 'Stopped', 'Off'],
  Paused: ['Running', 'Stopped', 'Off'],
  Stopped: ['Running', 'Off'],
}

/** Starts or resumes. Throws `wrong_state` with what is missing, and `account_locked` during a time-out or exclusion. */
export async function start(
  deps: AutomaticDeps,
  { userId, mode, confirmed }: { userId: bigint; mode: Mode; confirmed: boolean },
): Promise<Automation> {
  return inTransaction(deps.db, async (tx) => {
    // Closing takes this lock first: none start once it has stopped them.
    if (!(await lockAccountById(tx, userId))) throw new Problem('unauthenticated', 'Please sign in.')
    const row = await lockAutomation(tx, accountOf(userId, mode))
    if (!row) throw new Problem('wrong_state', 'Save your settings first.')
    if (row.state === 'Running') return readAutomation(deps, tx, userId, mode)
    if (mode === 'real') await requireNoBlock(tx, userId)
    const now = await readAutomation(deps, tx, userId, mode)
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
    return readAutomation(deps, tx, userId, mode)
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
    const row = await lockAutomation(tx, accountOf(userId, mode))
    if (row && row.state !== to) {
      if (!NEXT[row.state].includes(to)) throw new Problem('wrong_state', 'Automatic trades are not running.')
      await change(tx, row, to)
      await giveUpReservations(tx, [row.account_id])
    }
    return readAutomation(deps, tx, userId, mode)
  })
}

/**
 * Stops an account's automatic trades in the caller's transaction, if they run. Cancels reservations that are not
 * accepted yet.
 */
export async function stopAutomatic(tx: Tx, accountId: bigint, why: string): Promise<void> {
  const row = await lockAutomation(tx, accountId)
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

async function change(
  tx: Tx,
  row: AutomationRow,
  to: AutomationState,
  more: Partial<AutomationRow> = {},
): Promise<void> {
  if (!NEXT[row.state].includes(to))
    throw new Problem('wrong_state', `Automatic trades are ${row.state.toLowerCase()}.`)
  await tx
    .updateTable('automations')
    .set({ ...more, state: to, stop_reason: null })
    .where('account_id', '=', row.account_id)
    .execute()
}

export const lockAutomation = (tx: Tx, accountId: bigint): Promise<AutomationRow | undefined> =>
  tx.selectFrom('automations').selectAll().where('account_id', '=', accountId).forUpdate().executeTakeFirst()

/** A pause after losses ends by its time, or with a new start. Other reasons to wait are looked at again. */
export const stillIdle = (row: AutomationRow) =>
  row.idle_reason === 'pause' ? {} : { idle_until: 0n, idle_reason: null }
