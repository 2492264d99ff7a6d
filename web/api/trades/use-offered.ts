import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { percentOf, SIGNAL_DURATIONS, STRIKE_RATES, type StrikeRate, TRADE_SIDES } from '#contract/terms.ts'
import { changeAfter, offerAt, pairsEver, type Wanted } from '#contract/trading/offers.ts'
import type { PriceLists } from '#contract/trading/price-lists.ts'
import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { queryOf } from '../requests/query.ts'
import { tapeNow } from '../tape-clock.ts'

/** A change arrives as a hint that all lists must be read again. This interval is for hints that were lost. */
const READ_EVERY_MS = 60_000
const LOOK_EVERY_MS = 1_000

interface Offered {
  pairs: readonly StrikeRate[]
  /** When others begin to be offered, if they do within a day. */
  changeMs: Ms | undefined
}

/** Returns what the price lists offer for an order now, and something else at the moment when others apply. */
export function useOffered(wanted: Wanted): Offered {
  const { data } = useQuery({ ...queryOf('GET /public/price-lists'), refetchInterval: READ_EVERY_MS })
  const [at, setAt] = useState(tapeNow)
  const offer = data && offerOf(data.data, wanted, at)
  const { fromMs, untilMs } = offer ?? { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER }
  useEffect(() => {
    const timer = setInterval(() => {
      const now = tapeNow()
      if (now < fromMs || now >= untilMs) setAt(now)
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [fromMs, untilMs])
  return { pairs: offer?.pairs ?? STRIKE_RATES, changeMs: offer?.changeMs }
}

/** Asks for the pairs that are offered for any order now. `isRead`: the price lists are known, or can't be read. */
export function useOfferedFor() {
  const { data, isPending } = useQuery(queryOf('GET /public/price-lists'))
  return {
    isRead: !isPending,
    now: (wanted: Wanted): readonly StrikeRate[] => (data ? offerOf(data.data, wanted, tapeNow()).pairs : STRIKE_RATES),
  }
}

/** Returns all pairs that are offered at some time for what automatic trades follow, with the chosen one. */
export function useListedPairs(
  chosen: string,
  of: { symbols: readonly string[]; duration: number },
): readonly string[] {
  const { data } = useQuery(queryOf('GET /public/price-lists'))
  const listed = data?.data.versions.flatMap(({ document }) => pairsEver(document, of))
  const pairs = new Set<string>(listed ?? STRIKE_RATES)
  if (chosen !== 'best') pairs.add(chosen)
  return [...pairs]
}

/** Returns the most that a win of an automatic trade pays by any of the lists that apply at some time, percent. */
export function useMostPercent(): number {
  const { data } = useQuery(queryOf('GET /public/price-lists'))
  return data ? mostPercent(data.data) : mostOf(STRIKE_RATES)
}

export const mostPercent = ({ versions }: PriceLists): number =>
  mostOf(
    versions.flatMap(({ document }) =>
      SIGNAL_DURATIONS.flatMap((duration) => pairsEver(document, { symbols: [], duration })),
    ),
  )

const mostOf = (pairs: readonly StrikeRate[]): number =>
  Math.max(...pairs.flatMap((pair) => TRADE_SIDES.map((side) => percentOf(pair, side))))

function offerOf({ versions }: PriceLists, wanted: Wanted, at: Ms) {
  const known = versions.map(({ version, from, document }) => ({
    ...{ version, document },
    fromMs: from === null ? 0 : Date.parse(from),
  }))
  // This clock may be behind the tape.
  const atMs = Math.max(at, first(known).fromMs)
  return { ...offerAt(known, wanted, atMs), changeMs: changeAfter(known, wanted, atMs) }
}
