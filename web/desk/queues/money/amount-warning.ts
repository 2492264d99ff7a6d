import { formatUsd, toCents } from '#web/ui/index.ts'

/** Returns what is odd about a credit of more than twice the submitted amount, or less than half of it, in dollars. */
export function amountWarning(credited: number, submitted: number): string | undefined {
  const [credit, expected] = [toCents(credited), toCents(submitted)]
  if (credit <= 2 * expected && 2 * credit >= expected) return undefined
  const odd = credit > expected ? 'more than twice' : 'less than half of'
  return `${formatUsd(credited)} is ${odd} the submitted amount of ${formatUsd(submitted)}.`
}
