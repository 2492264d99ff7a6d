import type { Coin } from '#contract/terms.ts'
import { plainCoins } from '#web/ui/index.ts'

export const COIN_NAMES: Record<Coin, string> = { BTC: 'Bitcoin', ETH: 'Ethereum' }

/**
 * Returns the text of the QR code. Bitcoin wallets accept the amount too; for Ethereum only the address is widely
 * supported.
 */
export const paymentText = (coin: Coin, address: string, coinAmount: number): string =>
  coin === 'BTC' ? `bitcoin:${address}?amount=${plainCoins(coinAmount)}` : address

/** Returns the link that opens a wallet app with address and amount filled in (BIP 21 and ERC-681: the amount in wei). */
export const walletLink = (coin: Coin, address: string, coinAmount: number): string =>
  coin === 'BTC' ? paymentText(coin, address, coinAmount) : `ethereum:${address}@1?value=${plainCoins(coinAmount)}e18`
