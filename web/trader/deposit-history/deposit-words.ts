import type { Deposit } from '#contract/cashier.ts'
import { formatCoin } from '#web/ui/index.ts'

/** 'Amount in BTC': the coins with their own unit, a dash for a card. */
export const coinsOf = (deposit: Pick<Deposit, 'coin_amount' | 'currency'>): string =>
  deposit.coin_amount === null || deposit.currency === null ? '–' : formatCoin(deposit.coin_amount, deposit.currency)

/** How the money came. */
export const methodOf = (deposit: Pick<Deposit, 'method' | 'currency'>): string =>
  deposit.method === 'card' ? 'Card' : deposit.currency === 'ETH' ? 'Ethereum wallet' : 'Bitcoin wallet'
