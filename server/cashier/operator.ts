import { Problem } from '#contract/problem.ts'

/** Who works at the desk. Who may do what is for the desk to know; four eyes are counted here. */
export interface Operator {
  id: bigint
  email: string
}

/** Nobody acts on an item of his own, also where only the e-mail is the same. */
export function refuseOwn(operator: Operator, ownerEmail: string): void {
  if (operator.email.toLowerCase() === ownerEmail.toLowerCase()) {
    throw new Problem('own_item', 'This is your own: somebody else must do it.')
  }
}
