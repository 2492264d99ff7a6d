import type { Coin } from '#contract/cashier.ts'
import { Problem } from '#contract/problem.ts'
import type { Db } from '../platform/db.ts'
import type { AddressFor } from './deps.ts'

/** Makes a user's own address from an extended public key. */
export type DeriveAddress = (coin: Coin, extendedKey: string, userId: bigint) => string

/**
 * The addresses that the operator has set: one for everybody, or one for each user from an extended public key. Where
 * neither is set a test installation shows a made-up one that no wallet takes; a real one refuses with 503.
 */
export function settingsAddresses(deps: { db: Db; test: boolean; derive?: DeriveAddress }): AddressFor {
  return async (coin, userId) => {
    const settings = await deps.db
      .selectFrom('cashier_settings')
      .select(['btc_address', 'btc_extended_key', 'eth_address', 'eth_extended_key'])
      .executeTakeFirstOrThrow()
    const [fixed, extendedKey] =
      coin === 'BTC'
        ? [settings.btc_address, settings.btc_extended_key]
        : [settings.eth_address, settings.eth_extended_key]
    if (fixed !== null) return { address: fixed }
    if (extendedKey !== null && deps.derive) return { address: deps.derive(coin, extendedKey, userId) }
    if (extendedKey === null && deps.test) return { address: `TEST-${coin}-ADDRESS-SEND-NOTHING`, test: true }
    throw new Problem('not_configured', `Deposits in ${coin} are not set up.`)
  }
}
