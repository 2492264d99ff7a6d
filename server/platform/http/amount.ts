import type { CheckedUsd } from '#contract/fields.ts'
import { assert } from '#kernel/assert.ts'
import { parseUsd, type Usd, usd } from '#kernel/money.ts'

/** Converts an amount that the contract has checked, below 0 where its call allows that. */
export function amountOf(checked: CheckedUsd): Usd {
  const isNegative = typeof checked === 'number' && checked < 0
  const amount = parseUsd(isNegative ? -checked : checked)
  assert(amount !== undefined, 'the contract lets only amounts through')
  return isNegative ? usd(-amount) : amount
}
