import type { SolvencyProof } from '#contract/prices/proof.ts'
import { must } from '#kernel/must.ts'

type Entry = SolvencyProof['entries'][number]

/** A level of the path up from an entry: its group, joined with the sibling. Amounts in cents. */
export interface Level {
  /** How many entries the joined group has at most. */
  entries: number
  own: number
  neighbour: number
  sum: number
}

const centsOf = (text: string): number => Number(text.replace('.', ''))

/** The trader's balances in cents: the sums of their entries. */
export function balancesOf(entries: readonly Entry[]) {
  const sum = (of: keyof Entry['balances']) => entries.reduce((total, { balances }) => total + centsOf(balances[of]), 0)
  const [available, inTrades, inWithdrawals] = [sum('available'), sum('open_trades'), sum('withdrawals')]
  return { available, inTrades, inWithdrawals, total: available + inTrades + inWithdrawals }
}

/** Returns the levels above an entry of a tree with this many, from the lowest to everyone. */
export function levelsOf(entry: Entry, entries: number): Level[] {
  const levels: Level[] = []
  let own = balancesOf([entry]).total
  let at = 0
  let group = 1
  for (let [width, place] = [entries, entry.position]; width > 1; [width, place] = [Math.ceil(width / 2), place >> 1]) {
    group *= 2
    // A last node without a sibling moves up unchanged.
    if (place === width - 1 && width % 2 === 1) continue
    const neighbour = centsOf(must(entry.path[at++]).sum)
    levels.push({ entries: Math.min(group, entries), own, neighbour, sum: own + neighbour })
    own += neighbour
  }
  return levels
}
