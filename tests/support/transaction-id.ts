import { randomBytes } from 'node:crypto'
import type { Coin } from '#contract/money/cashier.ts'

/** Returns the id of a new transaction on a coin's blockchain. */
export const transactionId = (coin: Coin = 'BTC') => `${coin === 'ETH' ? '0x' : ''}${randomBytes(32).toString('hex')}`
