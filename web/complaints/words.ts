import { type ComplaintFinding, type ComplaintTick, FINDINGS } from '#contract/terms.ts'

/** What two operators ruled, as a sentence. */
export function rulingText({ finding, tick }: { finding: ComplaintFinding; tick: ComplaintTick | null }): string {
  const { upheld, says } = FINDINGS[finding]
  const price = tick === null ? '' : ` It was the ${tick} price. Every trade that lost on it gets its stake back.`
  return `Two operators ${upheld ? 'upheld' : 'rejected'} it: ${says}${price}`
}
