import { fieldProblem, Problem } from '#contract/problem.ts'

/** A self-exclusion is recognized in other accounts by the birth date. Throws `validation_failed`, naming it. */
export function requireBirthDate({ date_of_birth }: { date_of_birth: string | null }): void {
  if (date_of_birth === null)
    throw fieldProblem('date_of_birth', 'is required before your first deposit. Add it in Edit profile.')
}

/** Throws when this account may not deposit now. */
export function mayDeposit(
  account: { email_confirmed_at: Date | null; date_of_birth: string | null } | undefined,
  locked: boolean,
): void {
  if (!account) throw new Problem('unauthenticated', 'Please sign in.')
  if (account.email_confirmed_at === null) {
    throw new Problem(
      'email_not_confirmed',
      'Confirm your e-mail address first. Use Send Link to get the e-mail again.',
    )
  }
  requireBirthDate(account)
  if (locked) throw new Problem('account_locked', 'Deposits are locked for your account. Contact support.')
}
