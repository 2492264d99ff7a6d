import { Address, NETWORK } from '@scure/btc-signer'
import * as EthereumAddress from 'ox/Address'
import type { Coin } from '#contract/money/cashier.ts'

/**
 * Returns the coin of an address, or undefined when it is invalid, mistyped or for a test network. Bitcoin:
 * base58check, bech32, bech32m, main network. Ethereum: with a correct checksum, or all lower case, which carries none.
 */
export function coinOf(uncheckedWallet: string): Coin | undefined {
  if (/^0x[0-9a-fA-F]{40}$/.test(uncheckedWallet)) return EthereumAddress.validate(uncheckedWallet) ? 'ETH' : undefined
  try {
    Address(NETWORK).decode(uncheckedWallet)
    return 'BTC'
  } catch {
    return undefined
  }
}
