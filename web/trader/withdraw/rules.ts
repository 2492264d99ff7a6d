import * as z from 'zod/mini'
import { LENGTH, oneOf, text, walletAddress } from '#contract/fields.ts'
import { bankNumber } from '#contract/money/cashier.ts'
import { BANK_ACCOUNT_TYPES } from '#contract/terms.ts'
import { MESSAGES, typedUsd, WITHDRAWAL_MIN_USD } from '#web/ui/index.ts'
import { remainsOf } from './needs.ts'

const amountWithin = (balance: number) =>
  typedUsd(WITHDRAWAL_MIN_USD).check(z.refine((value) => remainsOf(balance, value) !== undefined, MESSAGES.overBalance))

/** Returns the rules of the wallet form for a balance in US dollars. */
export const walletRules = (balance: number) => z.object({ amount: amountWithin(balance), wallet: walletAddress })

/** Returns the rules of the bank form. */
export const bankRules = (balance: number) =>
  z.object({
    bank_name: text(LENGTH.bank),
    type: oneOf(BANK_ACCOUNT_TYPES),
    account_number: bankNumber,
    routing_number: bankNumber,
    amount: amountWithin(balance),
  })

/** Returns the text of the bank form's alert, based on the fields that fail now; else nothing. */
export function bankAlert(errors: Record<string, { message?: string | undefined } | undefined>): string | undefined {
  const failing = Object.values(errors).filter((error) => error !== undefined)
  if (failing.length === 0) return undefined
  return failing.every(({ message }) => message === MESSAGES.overBalance)
    ? MESSAGES.overBalance
    : MESSAGES.bankIncomplete
}
