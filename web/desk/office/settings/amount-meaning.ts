import { formatUsd, readUsd } from '#web/ui/index.ts'

/** What a field says about its amount: why it can't be read, or what it changes to. */
export const meaningOf = (typed: string, changesTo: number | undefined) => {
  const { problem } = readUsd(typed)
  if (problem !== undefined) return { error: problem }
  return changesTo === undefined ? {} : { hint: `Changes to ${formatUsd(changesTo)}.` }
}
