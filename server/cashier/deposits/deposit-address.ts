import type { Coin } from '#contract/money/cashier.ts'
import { Problem } from '#contract/problem.ts'
import { TEST_ADDRESS } from '#contract/terms.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AddressFor } from '../deps.ts'
import { readSettings } from '../settings.ts'
import type { CoinSource } from './coin-source.ts'

/** Derives a user's deposit address from an extended public key. */
type DeriveAddress = (coin: Coin, extendedKey: string, userId: bigint) => string

interface AddressDeps {
  db: Db
  test: boolean
  derive: DeriveAddress
  /** Used for coins that have no source in the desk's settings. */
  fallback: Partial<Record<Coin, CoinSource>>
}

/**
 * Provides the configured deposit addresses: one for everyone, or one per user from an extended public key. When
 * neither is set, a test installation shows a fake address that no wallet accepts; a production one responds with 503.
 */
export function settingsAddresses(deps: AddressDeps): AddressFor {
  return async (coin, userId) => {
    const source = (await readSettings(deps.db)).sources[coin] ?? deps.fallback[coin]
    if (!source) {
      if (deps.test) return { address: `${TEST_ADDRESS}${coin}-ADDRESS-SEND-NOTHING`, test: true }
      throw new Problem('not_configured', `${coin} deposits aren't available.`)
    }
    return { address: 'address' in source ? source.address : deps.derive(coin, source.extendedKey, userId) }
  }
}
