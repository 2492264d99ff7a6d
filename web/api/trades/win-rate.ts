import { type HitRate, hitRate } from '#contract/prices/measured.ts'
import type { StatisticsGroup } from '#contract/trading/trading.ts'

/** Below so many trades, figures have no ranges: they would be too wide to say anything. */
export const FEW_TRADES = 20

type Tallied = Pick<StatisticsGroup, 'won' | 'lost' | 'spread'>

/** The win rate of decided trades with its 95% interval; undefined without any. */
export const rateOf = ({ won, lost, spread: [closes, ww, wl, ll] }: Tallied): HitRate | undefined =>
  hitRate({ won, lost, spread: { closes, ww, wl, ll } })

/** What a range says about a trader's skill. */
export function verdictOf({ low, high }: Pick<HitRate, 'low' | 'high'>, breakEven: number, trades: number): string {
  const count = `${trades.toLocaleString('en-US')} trades`
  if (low > breakEven) return `That range is above break-even: luck alone rarely explains ${count} like these.`
  if (high < breakEven) return `That range is below break-even: trading on like this loses money.`
  return `That range includes break-even: ${count} can’t tell skill from luck yet.`
}
