import { fieldProblem } from '#contract/problem.ts'

const ADULT_YEARS = 18

/**
 * Rejects a birth date that makes a trader younger than 18, unless the operator accepts minors with a guardian's
 * permission. The birthday counts in UTC.
 */
export const ageCheck =
  ({ takesMinors, now }: { takesMinors: boolean; now(): number }) =>
  (dateOfBirth: string): void => {
    if (takesMinors) return
    const today = new Date(now())
    today.setUTCFullYear(today.getUTCFullYear() - ADULT_YEARS)
    if (dateOfBirth <= today.toISOString().slice(0, 10)) return
    throw fieldProblem('date_of_birth', `You must be at least ${ADULT_YEARS} years old to open an account.`)
  }
