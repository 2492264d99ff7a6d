import { STRIKE_RATES, type StrategyKey } from '#contract/terms.ts'
import { type AutomationBody, DEFAULT_AUTOMATION, DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import type { PublishedSettings } from '#server/backtest/index.ts'
import type { FollowedSettings } from '#server/backtest/settings.ts'

type Followed = AutomationBody['strategies'][number]

/** Settings that follow one strategy, with its own fields next to the common ones. */
export type OneFollowed = Partial<AutomationBody> & Partial<Followed>

/** Returns settings as calls take them: the defaults, changed by `changes`. */
export function automationOf(changes: OneFollowed = {}): AutomationBody {
  const { strategy, symbols, duration, sides, strike_rate, stake, stake_percent, ...common } = changes
  const given = { strategy, symbols, duration, sides, strike_rate, stake, stake_percent }
  const followed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...DEFAULT_AUTOMATION, mode: 'demo', strategies: [{ ...DEFAULT_FOLLOWED, ...followed }], ...common }
}

const STANDARD = { lists: [{ name: 'Standard', pairs: [...STRIKE_RATES] }], rules: [] }

/** The same of a back-test. */
export type OneBacktest = Omit<PublishedSettings, 'strategies' | 'priceLists'> &
  Partial<Pick<PublishedSettings, 'priceLists'>> &
  FollowedSettings & { strategy: StrategyKey }

export function backtestOf(settings: OneBacktest): PublishedSettings {
  const { strategy, symbols, durationSeconds, sides, strikeRate, stake, stakePercent, ...common } = settings
  return {
    priceLists: STANDARD,
    ...common,
    strategies: [{ strategy, symbols, durationSeconds, sides, strikeRate, stake, stakePercent }],
  }
}
