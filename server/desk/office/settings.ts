import * as z from 'zod/mini'
import type { Parsed } from '#contract/api.ts'
import { type DeskSettings, DeskSettingsChange, SettingsChanges } from '#contract/desk/office/settings.ts'
import { fieldProblem } from '#contract/problem.ts'
import { usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { type CoinSource, readCoinSource, readSettings, setSettings } from '../../cashier/index.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { FACTORS, lossLimits, setLossLimits } from '../../risk/index.ts'
import { tradingLimits } from '../../trading/index.ts'
import { defineProposal } from '../actions/define-proposal.ts'
import type { DeskDeps } from '../deps.ts'

type SettingsBody = Parsed<'PATCH /desk/settings', 'body'>
/** Changes as a proposal stores and shows them, in dollars. */
type StoredChanges = z.input<typeof SettingsChanges>

/** Returns the current settings and the pending changes. */
export async function settings(deps: Pick<DeskDeps, 'db' | 'prices'>, who: WhoOperates): Promise<DeskSettings> {
  const waiting = await settingsChanges.list(deps.db, who, { status: 'Pending' }, { after: undefined, limit: 100 })
  return { ...(await current(deps, deps.db)), waiting }
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
    worst_loss_percent: limits.worstLossPercent,
    loss_limits: (await lossLimits(db)).map(({ name, lossMax }) => ({ name, loss_max: usdToNumber(lossMax) })),
    deposit_two_person_amount: usdToNumber(cashier.depositTwoPersonAbove),
    withdraw_two_person_amount: usdToNumber(cashier.withdrawalTwoPersonAbove),
    deposit_operator_day_amount: usdToNumber(cashier.depositOperatorDayAbove),
    withdraw_operator_day_amount: usdToNumber(cashier.withdrawalOperatorDayAbove),
    withdrawals_need_identity: cashier.withdrawalsNeedIdentity,
    btc_address: textOf(cashier.sources.BTC),
    eth_address: textOf(cashier.sources.ETH),
  }
}

const textOf = (source: CoinSource | null): string | null =>
  source && ('address' in source ? source.address : source.extendedKey)

/** Changes of settings: one admin proposes, another decides. An approved change takes effect at once. */
export const settingsChanges = defineProposal({
  kind: 'settings',
  of: 'change',
  schema: DeskSettingsChange,
  apply: (deps, tx, { payload: { changes } }) => apply(deps, tx, z.parse(SettingsChanges, changes)),
  facts: ({ payload: { changes } }: { payload: { changes: StoredChanges; before: object } }) => changes,
  // The current values: another change may have been applied since the proposal.
  async change(deps, tx, { payload: { changes } }, { status }) {
    const before = partOf(await current(deps, tx), changes)
    return { before, after: status === 'Approved' ? changes : before }
  },
  view: ({ payload: { changes, before } }) => ({
    changes: changes as Record<string, unknown>,
    before: before as Record<string, unknown>,
  }),
})

/** Proposes a change. Throws `validation_failed` when it is empty or contains an invalid setting. */
export function proposeSettings(deps: DeskDeps, who: WhoOperates, body: SettingsBody): Promise<DeskSettingsChange> {
  const { reason, ...changes } = body
  refuseImpossible(deps, changes)
  const stored = z.encode(SettingsChanges, changes)
  return settingsChanges.propose(deps, who, async (tx) => {
    const before = partOf(await current(deps, tx), stored)
    return { subject: null, payload: { changes: stored, before }, reason, before, after: stored }
  })
}

async function apply(
  { prices, trading }: Pick<DeskDeps, 'prices' | 'trading'>,
  tx: Tx,
  changes: SettingsChanges,
): Promise<void> {
  await trading.setLimits(tx, {
    stakeMax: changes.stake_max,
    openStakeMax: changes.open_stake_max,
    worstLossPercent: changes.worst_loss_percent,
    symbols: (changes.symbol_limits ?? []).map(({ symbol, open_max }) => ({
      symbolId: must(prices.instruments.bySymbol(symbol)).id,
      openMax: open_max,
    })),
  })
  await setLossLimits(
    tx,
    (changes.loss_limits ?? []).map(({ name, loss_max }) => ({ name, lossMax: loss_max })),
  )
  await setSettings(tx, {
    depositTwoPersonAbove: changes.deposit_two_person_amount,
    withdrawalTwoPersonAbove: changes.withdraw_two_person_amount,
    depositOperatorDayAbove: changes.deposit_operator_day_amount,
    withdrawalOperatorDayAbove: changes.withdraw_operator_day_amount,
    withdrawalsNeedIdentity: changes.withdrawals_need_identity,
    sources: { BTC: changes.btc_address, ETH: changes.eth_address },
  })
}

function refuseImpossible(deps: Pick<DeskDeps, 'prices'>, changes: SettingsChanges): void {
  if (Object.values(changes).every((value) => value === undefined))
    throw fieldProblem('reason', 'Name at least one setting')
  for (const { symbol } of changes.symbol_limits ?? []) {
    if (!deps.prices.instruments.bySymbol(symbol)?.tradingType)
      throw fieldProblem('symbol_limits', `${symbol} is not traded here`)
  }
  for (const { name } of changes.loss_limits ?? []) {
    if (!FACTORS.some((factor) => factor === name) && !deps.prices.instruments.bySymbol(name)?.tradingType)
      throw fieldProblem('loss_limits', `${name} is neither a factor nor traded here`)
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
const partOf = (all: Omit<DeskSettings, 'waiting'>, changes: StoredChanges): Partial<Omit<DeskSettings, 'waiting'>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => (changes as Record<string, unknown>)[name] !== undefined))
