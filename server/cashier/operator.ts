import { Problem } from '#contract/problem.ts'
import { isSamePerson } from '#kernel/email-key.ts'

/** An operator of the desk. The desk checks roles; the cashier only enforces the two-person rule. */
export interface Operator {
  id: bigint
  email: string
}

/** Rejects an operator's action on their own item, under any of their addresses. */
export function refuseOwn(operator: Operator, ownerEmail: string): void {
  if (isSamePerson(operator.email, ownerEmail)) {
    throw new Problem('own_item', "You can't decide your own item. Ask another operator.")
  }
}
