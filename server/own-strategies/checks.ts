import { Problem } from '#contract/problem.ts'
import { ruleProblems } from '#contract/rules/problems.ts'
import type { RuleBody } from '#contract/trading/own-strategies.ts'
import { first } from '#kernel/must.ts'

/** Throws `validation_failed` if a rule can't be used on candles of this length. `field`: where the rule is in the body. */
export function requireRule(rule: RuleBody, durationSeconds: number, field: string): void {
  const problems = ruleProblems(rule, durationSeconds)
  if (problems.length === 0) return
  throw new Problem('validation_failed', first(problems).message, {
    errors: problems.map((one) => ({ field: `${field}.${one.field}`, message: one.message })),
  })
}
