import type { DeskSettings, DeskSettingsChange, SettingsBody } from '#contract/desk/settings.ts'
import { fieldProblem, Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import { parseUsd, type Usd, usd, usdToNumber } from '#kernel/money.ts'
import { type CoinSource, readCoinSource, readSettings, setSettings } from '../../cashier/index.ts'
import { type Db, sql, type Tx } from '../../platform/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { setTradingLimits, tradingLimits } from '../../trading/index.ts'
import { notFound, numberOf } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'

/** The settings that can be changed: the response without its derived fields. */
export type Changes = Omit<SettingsBody, 'reason'>

type Deps = Pick<DeskDeps, 'db' | 'prices'>

/** Returns the current settings and the pending changes. */
export async function settings(deps: Deps, who: WhoOperates): Promise<DeskSettings> {
  return { ...(await current(deps, deps.db)), waiting: await settingsChanges(deps.db, who, { status: 'Pending' }) }
}

async function current({ prices }: Pick<DeskDeps, 'prices'>, db: Db | Tx): Promise<Omit<DeskSettings, 'waiting'>> {
  const limits = await tradingLimits(db)
  const cashier = await readSettings(db)
  return {
    stake_max: usdToNumber(usd(limits.stakeMax)),
    open_stake_max: usdToNumber(usd(limits.openStakeMax)),
    symbol_limits: limits.symbols.map(({ symbolId, openMax, open }) => ({
      symbol: prices.instruments.byId(symbolId)?.symbol ?? '',
      open_max: usdToNumber(usd(openMax)),
      open: usdToNumber(usd(open)),
    })),
    deposit_two_person_amount: usdToNumber(usd(cashier.depositTwoPersonAbove)),
    withdraw_two_person_amount: usdToNumber(usd(cashier.withdrawalTwoPersonAbove)),
    withdrawals_need_identity: cashier.withdrawalsNeedIdentity,
    btc_address: textOf(cashier.sources.BTC),
    eth_address: textOf(cashier.sources.ETH),
  }
}

const textOf = (source: CoinSource | null): string | null =>
  source && ('address' in source ? source.address : source.extendedKey)

/** Lists proposed changes, newest first. */
export async function settingsChanges(
  db: Db | Tx,
  who: WhoOperates,
  filter: { status?: string; id?: bigint },
): Promise<DeskSettingsChange[]> {
  const rows = await db
    .selectFrom('settings_changes as s')
    .innerJoin('operators as p', 'p.id', 's.proposed_by')
    .leftJoin('operators as d', 'd.id', 's.decided_by')
    .selectAll('s')
    .select(['p.email as proposer_email', 'd.email as decider_email'])
    .$if(filter.status !== undefined, (query) => query.where('s.status', '=', filter.status!))
    .$if(filter.id !== undefined, (query) => query.where('s.id', '=', filter.id!))
    .orderBy('s.id', 'desc')
    .limit(100)
    .execute()
  return rows.map((row) => ({
    id: String(row.id),
    changes: row.changes as Record<string, unknown>,
    before: row.before as Record<string, unknown>,
    reason: row.reason,
    status: row.status as DeskSettingsChange['status'],
    proposed_by: { operator_id: String(row.proposed_by), email: row.proposer_email },
    created_at: row.proposed_at.toISOString(),
    decided_by:
      row.decided_by === null ? null : { operator_id: String(row.decided_by), email: row.decider_email ?? '' },
    ...(row.decided_at === null ? {} : { decided_at: row.decided_at.toISOString() }),
    ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
    own: row.proposed_by === who.operatorId,
  }))
}

/** Proposes a change. Throws `validation_failed` when it is empty or contains an invalid setting. */
export function proposeSettings(deps: Deps, who: WhoOperates, body: SettingsBody): Promise<DeskSettingsChange> {
  const { reason, ...changes } = body
  refuseImpossible(deps, changes)
  return audited(deps.db, who, async (tx) => {
    const before = partOf(await current(deps, tx), changes)
    const { id } = await tx
      .insertInto('settings_changes')
      .values({
        changes: JSON.stringify(changes),
        before: JSON.stringify(before),
        reason: reason.toWellFormed(),
        proposed_by: who.operatorId,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const [answer] = await settingsChanges(tx, who, { id })
    return {
      answer: answer!,
      deed: { action: 'propose', item: { kind: 'settings', id: String(id) }, before, after: changes, why: reason },
    }
  })
}

/**
 * Approves a change proposed by another admin; it takes effect at once. Throws `not_found`, `wrong_state`,
 * `second_person_required`.
 */
export const approveSettings = (deps: Deps, who: WhoOperates, id: string): Promise<DeskSettingsChange> =>
  decide(deps, who, id, 'Approved')

/** Rejects a change, with a reason. Throws as `approveSettings`. */
export const rejectSettings = (deps: Deps, who: WhoOperates, id: string, reason: string): Promise<DeskSettingsChange> =>
  decide(deps, who, id, 'Rejected', reason)

function decide(
  deps: Deps,
  who: WhoOperates,
  unchecked: string,
  status: 'Approved' | 'Rejected',
  reason?: string,
): Promise<DeskSettingsChange> {
  return audited(deps.db, who, async (tx) => {
    const id = numberOf(unchecked)
    const row = await tx.selectFrom('settings_changes').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    if (!row) throw notFound()
    if (row.status !== 'Pending') throw new Problem('wrong_state', 'This change was decided already.')
    if (row.proposed_by === who.operatorId)
      throw new Problem('second_person_required', 'You proposed this. A second admin decides.')
    const changes = row.changes as Changes
    // Read the current values: another change may have been applied since the proposal.
    const before = partOf(await current(deps, tx), changes)
    if (status === 'Approved') await apply(deps, tx, changes)
    await tx
      .updateTable('settings_changes')
      .set({
        status,
        decided_by: who.operatorId,
        decided_at: sql<Date>`clock_timestamp()`,
        decision_reason: reason?.toWellFormed() ?? null,
      })
      .where('id', '=', id)
      .execute()
    const [answer] = await settingsChanges(tx, who, { id })
    return {
      answer: answer!,
      deed: {
        action: status === 'Approved' ? 'approve' : 'reject',
        item: { kind: 'settings', id: unchecked },
        before,
        after: status === 'Approved' ? changes : before,
        why: reason ?? row.reason,
      },
    }
  })
}

async function apply({ prices }: Pick<DeskDeps, 'prices'>, tx: Tx, changes: Changes): Promise<void> {
  await setTradingLimits(tx, {
    stakeMax: cents(changes.stake_max),
    openStakeMax: cents(changes.open_stake_max),
    symbols: (changes.symbol_limits ?? []).map(({ symbol, open_max }) => ({
      symbolId: prices.instruments.bySymbol(symbol)!.id,
      openMax: open_max === null ? null : cents(open_max)!,
    })),
  })
  await setSettings(tx, {
    depositTwoPersonAbove: cents(changes.deposit_two_person_amount),
    withdrawalTwoPersonAbove: cents(changes.withdraw_two_person_amount),
    withdrawalsNeedIdentity: changes.withdrawals_need_identity,
    sources: { BTC: changes.btc_address, ETH: changes.eth_address },
  })
}

function refuseImpossible(deps: Deps, changes: Changes): void {
  if (Object.values(changes).every((value) => value === undefined))
    throw fieldProblem('reason', 'Name at least one setting')
  for (const { symbol } of changes.symbol_limits ?? []) {
    if (!deps.prices.instruments.bySymbol(symbol)?.tradingType)
      throw fieldProblem('symbol_limits', `${symbol} is not traded here`)
  }
  for (const [field, coin] of [
    ['btc_address', 'BTC'],
    ['eth_address', 'ETH'],
  ] as const) {
    const text = changes[field]
    if (!text) continue
    try {
      readCoinSource(coin, text)
    } catch (error) {
      throw fieldProblem(field, messageOf(error))
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'is invalid')

/** Returns the current values of the settings that a change names. */
const partOf = (all: Omit<DeskSettings, 'waiting'>, changes: Changes): Partial<Omit<DeskSettings, 'waiting'>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => (changes as Record<string, unknown>)[name] !== undefined))

function cents(dollars: number | undefined): Usd | undefined {
  if (dollars === undefined) return undefined
  const amount = parseUsd(dollars)
  assert(amount !== undefined, 'the contract lets only amounts through')
  return amount
}
