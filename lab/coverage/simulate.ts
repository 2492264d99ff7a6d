import { type Tally, tallyOf } from '#contract/prices/measured.ts'
import { DAY_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { createSimulation, crossUnits, legOf } from '#server/prices/feeds/simulation.ts'
import { type Candle, STRATEGIES } from '#server/strategies/index.ts'

/** How long after its close a signal's trade enters, and after its end exits. */
const DELAY_MS = 2 * SECOND_MS
/** Moments of a candle at which its prices are sampled; the last one is its close. */
const SAMPLES = [0.33, 0.67, 1]
const WARM_UP = Math.max(...STRATEGIES.map(({ needs }) => needs))
const FIRST_DAY = Date.UTC(2026, 2, 2)

interface Pair {
  base: string
  quote: string
}

export interface Choice {
  pairs: readonly Pair[]
  durationSeconds: number
}

const COINS = [
  'BCH',
  'BTC',
  'EOS',
  'ETC',
  'ETH',
  'LTC',
  'MKR',
  'PCP',
  'REP',
  'SHIB',
  'TRX',
  'TXR',
  'XLM',
  'XRP',
  'ZEC',
  'ZRX',
]

/** Every coin against these: all traded symbols with all five. */
export const pairsAgainst = (quotes: readonly string[]): Pair[] =>
  quotes.flatMap((quote) => COINS.filter((base) => base !== quote).map((base) => ({ base, quote })))

/**
 * Simulates a day of signals and their outcomes, by strategy. Simulated prices know no direction, so the true hit rate is
 * exactly 50 %. Each seed is another day too, because the coin is tossed by the time.
 */
export function simulateDay(seed: number, { pairs, durationSeconds }: Choice): Tally[] {
  const simulation = createSimulation(String(seed))
  const length = durationSeconds * SECOND_MS
  const start = FIRST_DAY + seed * DAY_MS
  const origin = simulation.legsAt(FIRST_DAY)
  const legs = pairs.map(({ base, quote }) => {
    const [of, against] = [legOf(base)!, legOf(quote)!]
    // Prices of seven digits.
    return [of, against, 6 - Math.floor(Math.log10(origin[of]! / origin[against]!))] as const
  })
  const pricesAt = (time: Ms): number[] => {
    const now = simulation.legsAt(time)
    return legs.map(([base, quote, scale]) => crossUnits(now, base, quote, scale))
  }
  const candles = pairs.map((): Candle[] => [])
  const closes = STRATEGIES.map((): { won: number; lost: number }[] => [])
  let open: { strategy: number; pair: number; isBuy: boolean; entry: number }[] = []

  for (let time = start - WARM_UP * length; ; time += length) {
    // The trades of the last close exit, and those of this one enter, at the same tick.
    const first = pricesAt(time + DELAY_MS)
    const counts = STRATEGIES.map(() => ({ won: 0, lost: 0 }))
    for (const { strategy, pair, isBuy, entry } of open) {
      const exit = first[pair]!
      if (exit !== entry) counts[strategy]![exit > entry === isBuy ? 'won' : 'lost']++
    }
    for (const [strategy, count] of counts.entries()) closes[strategy]!.push(count)
    if (time >= start + DAY_MS) return closes.map(tallyOf)
    open = time < start ? [] : signalsAt()
    const samples = [first, ...SAMPLES.map((share) => pricesAt(time + share * length))]
    candles.forEach((list, pair) => {
      const prices = samples.map((sample) => sample[pair]!)
      list.push({
        ...{ time, open: prices[0]!, high: Math.max(...prices), low: Math.min(...prices), close: prices.at(-1)! },
      })
      if (list.length > WARM_UP) list.shift()
    })

    function signalsAt() {
      return candles.flatMap((list, pair) =>
        STRATEGIES.flatMap(({ decide }, strategy) => {
          const side = decide(list, {
            ...{ symbol: `${pairs[pair]!.base}${pairs[pair]!.quote}`, scale: legs[pair]![2], durationSeconds },
          })
          return side ? [{ strategy, pair, isBuy: side === 'Buy', entry: first[pair]! }] : []
        }),
      )
    }
  }
}
