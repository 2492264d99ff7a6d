import type { Coin } from '#contract/money/cashier.ts'
import type { BankNumbers } from './bank.ts'

/** Where the money of a withdrawal goes. */
export type Destination = { method: 'crypto'; coin: Coin; wallet: string } | ({ method: 'bank' } & BankNumbers)
