import type { Condition, RuleBody } from '#contract/trading/own-strategies.ts'
import type { Start } from './draft.ts'

const close = { price: 'close' } as const
const rsi = { indicator: 'rsi', inputs: [14], output: 'value' }
const ema = (length: number) => ({ indicator: 'ema', inputs: [length], output: 'value' })
const band = (output: 'upper' | 'lower') => ({ indicator: 'bollinger', inputs: [20, 2], output })
const weekdays: Condition = { from: '08:00', to: '20:00', days: [1, 2, 3, 4, 5] }

const all = (buy: Condition[], sell: Condition[]): RuleBody => ({
  buy: { join: 'all', conditions: buy },
  sell: { join: 'all', conditions: sell },
})

interface Example extends Pick<Start, 'name' | 'duration' | 'rule'> {
  /** What it bets on. */
  idea: string
}

/** Rules to begin with: each shows another kind of condition. */
export const EXAMPLES: readonly Example[] = [
  {
    name: 'Dips in a rise',
    idea: 'A price that rises on the whole recovers from a dip.',
    duration: 300,
    rule: all(
      [
        { left: rsi, crosses: 'above', right: { number: '30' } },
        { left: close, is: 'above', right: ema(50) },
      ],
      [
        { left: rsi, crosses: 'below', right: { number: '70' } },
        { left: close, is: 'below', right: ema(50) },
      ],
    ),
  },
  {
    name: 'Back into the band',
    idea: 'A price that left its usual range comes back.',
    duration: 60,
    rule: all(
      [{ left: close, crosses: 'above', right: band('lower') }],
      [{ left: close, crosses: 'below', right: band('upper') }],
    ),
  },
  {
    name: 'Trend on weekdays',
    idea: 'A change of direction lasts, while the markets are busy.',
    duration: 900,
    rule: all(
      [{ left: ema(9), crosses: 'above', right: ema(21) }, weekdays],
      [{ left: ema(9), crosses: 'below', right: ema(21) }, weekdays],
    ),
  },
]

export const NO_RULE: RuleBody = all([{ left: rsi, crosses: 'above', right: { number: '30' } }], [])
