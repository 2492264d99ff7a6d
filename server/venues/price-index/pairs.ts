import { must } from '#kernel/must.ts'
import { type Listing, quoteOf } from '../listing.ts'
import { isJudged, type MemberState, type PairState } from './evaluate-pair.ts'
import { createLeadLag } from './lead-lag.ts'
import { createDrift } from './quarantine.ts'
import { isDollar } from './worth.ts'

export interface VenueCounts {
  markets: number
  /** In a median. */
  kept: number
  /** Compared with a median. */
  judged: number
  /** Too far from it, now or within the last minutes. */
  away: number
}

/**
 * Returns the pairs of a listing, and what is known about those that stay. Pairs in dollars first: they say what the
 * sizes of the others are worth.
 */
export function pairsOf(next: Listing, before: ReadonlyMap<string, PairState>): Map<string, PairState> {
  const ordered = [...next.pairs].sort(([a], [b]) => Number(isDollar(quoteOf(b))) - Number(isDollar(quoteOf(a))))
  return new Map(
    ordered.map(([name, pair]) => {
      const known = new Map(before.get(name)?.members.map((member) => [memberKey(member), member]))
      const members = pair.members.map(
        (member): MemberState =>
          known.get(memberKey(member)) ?? {
            ...member,
            standing: 'no_quote',
            price: undefined,
            isDeep: false,
            spreadBps: undefined,
            sourceMs: undefined,
            drift: createDrift(),
          },
      )
      return [name, { pair, members, leadLag: createLeadLag(members.length), result: 'sources' }]
    }),
  )
}

/**
 * Counts how many of each venue's markets are in a median. A venue that drifts on half of its pairs, and on two at
 * least, isn't believed about the others either.
 */
export function countVenues(
  pairs: ReadonlyMap<string, PairState>,
  counts: Map<string, VenueCounts>,
  drifting: Set<string>,
): void {
  const drifts = new Map<string, number>()
  counts.clear()
  for (const { members } of pairs.values()) {
    for (const member of members) {
      const count = counts.get(member.venue) ?? { markets: 0, kept: 0, judged: 0, away: 0 }
      counts.set(member.venue, count)
      count.markets++
      if (!isJudged(member)) continue
      count.judged++
      if (member.standing === 'kept') count.kept++
      if (member.standing === 'outlier' || member.drift.isIn()) count.away++
      if (member.drift.isIn()) drifts.set(member.venue, (drifts.get(member.venue) ?? 0) + 1)
    }
  }
  drifting.clear()
  for (const [id, drifted] of drifts) if (drifted >= 2 && drifted * 2 >= must(counts.get(id)).judged) drifting.add(id)
}

const memberKey = ({ venue, market, inverted }: Pick<MemberState, 'venue' | 'market' | 'inverted'>) =>
  `${venue} ${market} ${inverted}`
