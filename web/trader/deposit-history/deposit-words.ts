import type { Deposit } from '#contract/cashier.ts'
import { formatCoin } from '#web/ui/index.ts'

/** 'Amount in BTC': the coins with their own unit, a dash for a card. */
export const coinsOf = (deposit: Pick<Deposit, 'coin_amount' | 'currency'>): string =>
  deposit.coin_amount === null || deposit.currency === null ? '–' : formatCoin(deposit.coin_amount, deposit.currency)

/** The title of that column: 'Amount in BTC' unless a row is of another coin. */
export const coinHeadOf = (deposits: readonly Pick<Deposit, 'currency'>[]): string =>
  deposits.some(({ currency }) => currency !== null && currency !== 'BTC') ? 'Amount in coin' : 'Amount in BTC'

/** How the money came. */
export const methodOf = (deposit: Pick<Deposit, 'method' | 'currency'>): string =>
  deposit.method === 'card' ? 'Card' : deposit.currency === 'ETH' ? 'Ethereum wallet' : 'Bitcoin wallet'
