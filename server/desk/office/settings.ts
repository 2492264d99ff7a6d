import type { Parsed } from '#contract/api.ts'
import type { DeskSettings, DeskSettingsChange } from '#contract/desk/settings.ts'
import type { CheckedUsd } from '#contract/fields.ts'
import { fieldProblem } from '#contract/problem.ts'
import { type Usd, usdToNumber } from '#kernel/money.ts'
import { type CoinSource, readCoinSource, readSettings, setSettings } from '../../cashier/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import { amountOf } from '../../platform/http/amount.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { tradingLimits } from '../../trading/index.ts'
import {
  decided,
  type Proposal,
  type ProposalColumns,
  type ProposalKind,
  proposalColumns,
  proposalFields,
  proposalJoins,
  proposed,
} from '../actions/proposals.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { filtered, inOrder, type List, type Page, type QueueFilter, readList } from '../lists/read.ts'

type SettingsBody = Parsed<'PATCH /desk/settings', 'body'>
/** The settings that can be changed: the response without its derived fields. */
export type Changes = Omit<SettingsBody, 'reason'>

type Deps = Pick<DeskDeps, 'db' | 'prices' | 'trading'>

/** Returns the current settings and the pending changes. */
export async function settings(deps: Deps, who: WhoOperates): Promise<DeskSettings> {
  return { ...(await current(deps, deps.db)), waiting: await settingsChanges(deps.db, who, { status: 'Pending' }) }
}

async function current({ prices }: Pick<DeskDeps, 'prices'>, db: Db | Tx): Promise<Omit<DeskSettings, 'waiting'>> {
  const limits = await tradingLimits(db)
  const cashier = await readSettings(db)
  return {
    stake_max: usdToNumber(limits.stakeMax),
    open_stake_max: usdToNumber(limits.openStakeMax),
    symbol_limits: limits.symbols.map(({ symbolId, openMax, open }) => ({
      symbol: prices.instruments.byId(symbolId)?.symbol ?? '',
      open_max: usdToNumber(openMax),
      open: usdToNumber(open),
    })),
    deposit_two_person_amount: usdToNumber(cashier.depositTwoPersonAbove),
    withdraw_two_person_amount: usdToNumber(cashier.withdrawalTwoPersonAbove),
    withdrawals_need_identity: cashier.withdrawalsNeedIdentity,
    btc_address: textOf(cashier.sources.BTC),
    eth_address: textOf(cashier.sources.ETH),
  }
}

const textOf = (source: CoinSource | null): string | null =>
  source && ('address' in source ? source.address : source.extendedKey)

interface ChangeRow extends ProposalColumns {
  id: string
  changes: Record<string, unknown>
  before: Record<string, unknown>
}

const changeRows = (filter: QueueFilter, page: Page): List<ChangeRow> => sql`
  select s.id::text, s.changes, s.before, ${proposalColumns('s')}
  from settings_changes s ${proposalJoins('s')}
  where ${filtered('s', filter, page)}
  ${inOrder('s.id', page)}`

/** Lists proposed changes, newest first. */
async function settingsChanges(db: Db | Tx, who: WhoOperates, filter: QueueFilter): Promise<DeskSettingsChange[]> {
  const rows = await readList(db, changeRows(filter, { after: undefined, limit: 100 }))
  return rows.map((row) => ({
    id: row.id,
    changes: row.changes,
    before: row.before,
    ...proposalFields(row),
    own: row.proposer === String(who.operatorId),
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
    return proposed(tx, who, settingsKind(deps), id, { before, after: changes, why: reason })
  })
}

interface Change extends Proposal {
  changes: Changes
}

/** How changes are decided. An approved change takes effect at once. */
export const settingsKind = (deps: Deps): ProposalKind<Change, DeskSettingsChange> => ({
  name: 'settings',
  of: 'change',
  async lock(tx, id) {
    const row = await tx.selectFrom('settings_changes').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    return row && { ...row, changes: row.changes as Changes }
  },
  store: (tx, { id }, decision, who) =>
    tx.updateTable('settings_changes').set(decided(decision, who)).where('id', '=', id).execute(),
  async carryOut(tx, { changes }) {
    await apply(deps, tx, changes)
    return undefined
  },
  facts: ({ changes }) => changes,
  // The current values: another change may have been applied since the proposal.
  async change(tx, { changes }, { status }) {
    const before = partOf(await current(deps, tx), changes)
    return { before, after: status === 'Approved' ? changes : before }
  },
  show: async (tx, who, id) => (await settingsChanges(tx, who, { id }))[0]!,
})

async function apply(
  { prices, trading }: Pick<DeskDeps, 'prices' | 'trading'>,
  tx: Tx,
  changes: Changes,
): Promise<void> {
  await trading.setLimits(tx, {
    stakeMax: optionalCents(changes.stake_max),
    openStakeMax: optionalCents(changes.open_stake_max),
    symbols: (changes.symbol_limits ?? []).map(({ symbol, open_max }) => ({
      symbolId: prices.instruments.bySymbol(symbol)!.id,
      openMax: open_max === null ? null : amountOf(open_max),
    })),
  })
  await setSettings(tx, {
    depositTwoPersonAbove: optionalCents(changes.deposit_two_person_amount),
    withdrawalTwoPersonAbove: optionalCents(changes.withdraw_two_person_amount),
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

const optionalCents = (dollars: CheckedUsd | undefined): Usd | undefined =>
  dollars === undefined ? undefined : amountOf(dollars)
