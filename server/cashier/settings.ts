import type { Selectable } from 'kysely'
import type { Coin } from '#contract/terms.ts'
import type { Usd } from '#kernel/money.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'
import { type CoinSource, readCoinSource } from './deposits/coin-source.ts'

/** The settings that operators can change. */
interface CashierSettings {
  /** Above these amounts, two operators must approve. In cents. */
  depositTwoPersonAbove: Usd
  withdrawalTwoPersonAbove: Usd
  /** Above these sums, what one operator approved alone in 24 hours needs a second one. In cents. */
  depositOperatorDayAbove: Usd
  withdrawalOperatorDayAbove: Usd
  withdrawalsNeedIdentity: boolean
  /** Where coins are sent; null while a coin has no source. */
  sources: Record<Coin, CoinSource | null>
}

export async function readSettings(db: Db | Tx): Promise<CashierSettings> {
  const row = await db.selectFrom('cashier_settings').selectAll().executeTakeFirstOrThrow()
  return {
    depositTwoPersonAbove: row.deposit_two_person_above,
    withdrawalTwoPersonAbove: row.withdrawal_two_person_above,
    depositOperatorDayAbove: row.deposit_operator_day_above,
    withdrawalOperatorDayAbove: row.withdrawal_operator_day_above,
    withdrawalsNeedIdentity: row.withdrawals_need_identity,
    sources: {
      BTC: sourceOf(row.btc_address, row.btc_extended_key),
      ETH: sourceOf(row.eth_address, row.eth_extended_key),
    },
  }
}

function sourceOf(address: string | null, extendedKey: string | null): CoinSource | null {
  if (address !== null) return { address }
  return extendedKey === null ? null : { extendedKey }
}

interface SettingsChange {
  depositTwoPersonAbove?: Usd | undefined
  withdrawalTwoPersonAbove?: Usd | undefined
  depositOperatorDayAbove?: Usd | undefined
  withdrawalOperatorDayAbove?: Usd | undefined
  withdrawalsNeedIdentity?: boolean | undefined
  /** As `readCoinSource` reads them; null removes a coin's source. */
  sources: Partial<Record<Coin, string | null | undefined>>
}

/** Changes settings; omitted ones stay. */
export async function setSettings(tx: Tx, change: SettingsChange): Promise<void> {
  const { sources } = change
  const given = {
    deposit_two_person_above: change.depositTwoPersonAbove,
    withdrawal_two_person_above: change.withdrawalTwoPersonAbove,
    deposit_operator_day_above: change.depositOperatorDayAbove,
    withdrawal_operator_day_above: change.withdrawalOperatorDayAbove,
    withdrawals_need_identity: change.withdrawalsNeedIdentity,
  }
  const columns = {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<
      Selectable<DB['cashier_settings']>
    >),
    ...sourceColumns('BTC', sources.BTC, 'btc_address', 'btc_extended_key'),
    ...sourceColumns('ETH', sources.ETH, 'eth_address', 'eth_extended_key'),
  }
  if (Object.keys(columns).length > 0) await tx.updateTable('cashier_settings').set(columns).execute()
}

/**
 * Returns the columns of a coin's deposit source: one address for everyone, or a key that derives one per user; never
 * both.
 */
function sourceColumns<A extends string, K extends string>(
  coin: Coin,
  text: string | null | undefined,
  addressColumn: A,
  keyColumn: K,
): Partial<Record<A | K, string | null>> {
  if (text === undefined) return {}
  const source = text === null ? {} : readCoinSource(coin, text)
  return {
    [addressColumn]: 'address' in source ? source.address : null,
    [keyColumn]: 'extendedKey' in source ? source.extendedKey : null,
  } as Record<A | K, string | null>
}
