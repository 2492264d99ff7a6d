import { Address, NETWORK } from '@scure/btc-signer'
import { isAddress } from 'viem/utils'
import type { Coin } from '#contract/cashier.ts'

/**
 * Which coin an address takes; undefined where it is none, was mistyped, or is of a test network. Bitcoin: base58check,
 * bech32, bech32m, main network. Ethereum: with a right checksum, or all in lower case, which carries none.
 */
export function coinOf(uncheckedWallet: string): Coin | undefined {
  if (/^0x[0-9a-fA-F]{40}$/.test(uncheckedWallet)) return isAddress(uncheckedWallet) ? 'ETH' : undefined
  try {
    Address(NETWORK).decode(uncheckedWallet)
    return 'BTC'
  } catch {
    return undefined
  }
}
