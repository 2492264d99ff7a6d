import type { StrategyKey } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { breakout } from './breakout.ts'
import { coinToss } from './coin-toss.ts'
import { reversion } from './reversion.ts'
import type { Strategy } from './strategy.ts'
import { trend } from './trend.ts'

export { placeOf } from './place.ts'
export { type Decider, type Rule, strategyOfRule } from './rule.ts'
export type { Candle, Strategy } from './strategy.ts'

/** All strategies, in the order in which screens show them. */
export const STRATEGIES: readonly Strategy[] = [trend, reversion, breakout, coinToss]

/** Returns a strategy of the platform. Those of traders are in the room `own-strategies`. */
export const strategyOf = (key: StrategyKey): Strategy => must(STRATEGIES.find((strategy) => strategy.id === key))
