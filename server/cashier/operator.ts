import { Problem } from '#contract/problem.ts'

/** An operator of the desk. The desk checks roles; the cashier only enforces the two-person rule. */
export interface Operator {
  id: bigint
  email: string
}

/** Rejects an operator's action on their own item, even if only the e-mail address matches. */
export function refuseOwn(operator: Operator, ownerEmail: string): void {
  if (operator.email.toLowerCase() === ownerEmail.toLowerCase()) {
    throw new Problem('own_item', "You can't decide your own item. Ask another operator.")
  }
}
