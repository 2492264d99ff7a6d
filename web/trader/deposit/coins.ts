import type { Coin } from '#contract/terms.ts'

export const COIN_NAMES: Record<Coin, string> = { BTC: 'Bitcoin', ETH: 'Ethereum' }

/** What the first step found out. */
export interface Preview {
  /** US dollars as typed, checked. */
  usdAmount: string
  coinAmount: number
  /** US dollars for one coin, decimal text. */
  rate: string
  address: string
  /** A made-up address, to which nothing may be sent. */
  isTest: boolean
}

/** What a wallet's camera reads: Bitcoin wallets take the amount along, for Ethereum only the address is common ground. */
export const paymentText = (coin: Coin, address: string, coinAmount: number): string =>
  coin === 'BTC' ? `bitcoin:${address}?amount=${plainCoins(coinAmount)}` : address

/** Decimal text without an exponent, at most 8 places: 1e-7 is `0.0000001`. */
export const plainCoins = (amount: number): string => amount.toFixed(8).replace(/\.?0+$/, '')
