import type { Coin } from '#contract/money/cashier.ts'
import { fieldProblem } from '#contract/problem.ts'

const FORMATS: Record<Coin, { pattern: RegExp; says: string }> = {
  BTC: { pattern: /^[0-9a-f]{64}$/, says: "isn't a Bitcoin transaction ID: 64 characters of 0-9 and a-f" },
  ETH: { pattern: /^0x[0-9a-f]{64}$/, says: "isn't an Ethereum transaction ID: 0x and 64 characters of 0-9 and a-f" },
}

/** Returns the id of a coin's transaction in lower case, so that one transaction has one id. Throws `validation_failed`. */
export function transactionIdOf(coin: Coin, uncheckedId: string, field = 'reference'): string {
  const id = uncheckedId.toLowerCase()
  const { pattern, says } = FORMATS[coin]
  if (!pattern.test(id)) throw fieldProblem(field, says)
  return id
}
