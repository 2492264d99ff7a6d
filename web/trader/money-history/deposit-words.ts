import type { Deposit } from '#contract/money/cashier.ts'
import { formatCoin, formatDateTime } from '#web/ui/index.ts'

/** Returns the value of 'Amount in BTC': the coins with their unit, a dash for a card. */
export const coinsOf = (deposit: Pick<Deposit, 'coin_amount' | 'currency'>): string =>
  deposit.coin_amount === null || deposit.currency === null ? '–' : formatCoin(deposit.coin_amount, deposit.currency)

/** Returns the title of that column: 'Amount in BTC' unless a row uses another coin. */
export const coinHeadOf = (deposits: readonly Pick<Deposit, 'currency'>[]): string =>
  deposits.some(({ currency }) => currency !== null && currency !== 'BTC') ? 'Amount in coin' : 'Amount in BTC'

/** Returns the steps of a deposit, for its timeline. */
export function depositSteps({ method, status, createdAt, requested_at, arrival, since, due_by }: Deposit) {
  const asked =
    method === 'card'
      ? [{ name: 'Requested', at: createdAt }]
      : [
          { name: 'Requested', at: requested_at ?? createdAt },
          { name: 'Receipt uploaded', at: createdAt },
          ...(arrival ? [{ name: 'Arrived on the network', at: arrival.time }] : []),
        ]
  if (status === 'Approved') return [...asked, { name: 'Checked and credited', at: since }]
  if (status === 'Rejected') return [...asked, { name: 'Rejected', at: since }]
  return [...asked, { name: 'Checked and credited', note: due_by && `by ${formatDateTime(due_by)}` }]
}

/** Returns the deposit method's label. */
export const methodOf = (deposit: Pick<Deposit, 'method' | 'currency'>): string =>
  deposit.method === 'card' ? 'Card' : deposit.currency === 'ETH' ? 'Ethereum wallet' : 'Bitcoin wallet'
