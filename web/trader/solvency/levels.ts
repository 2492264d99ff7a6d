import type { SolvencyProof } from '#contract/proof.ts'
import { must } from '#kernel/must.ts'

/** A level of the path up: the trader's group, joined with its sibling. Amounts in cents. */
export interface Level {
  /** How many traders the joined group has at most. */
  traders: number
  own: number
  neighbour: number
  sum: number
}

const centsOf = (text: string): number => Number(text.replace('.', ''))

/** The total of the trader's entry. */
export const ownCents = ({ balances }: Pick<SolvencyProof, 'balances'>): number =>
  centsOf(balances.available) + centsOf(balances.open_trades) + centsOf(balances.withdrawals)

/** Returns the levels above a trader's entry, from the lowest to everyone. */
export function levelsOf({ balances, path, position, statement }: SolvencyProof): Level[] {
  const levels: Level[] = []
  let own = ownCents({ balances })
  let at = 0
  let group = 1
  for (
    let [width, place] = [statement.accounts, position];
    width > 1;
    [width, place] = [Math.ceil(width / 2), place >> 1]
  ) {
    group *= 2
    // A last node without a sibling moves up unchanged.
    if (place === width - 1 && width % 2 === 1) continue
    const neighbour = centsOf(must(path[at++]).sum)
    levels.push({ traders: Math.min(group, statement.accounts), own, neighbour, sum: own + neighbour })
    own += neighbour
  }
  return levels
}
