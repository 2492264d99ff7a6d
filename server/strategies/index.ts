import type { StrategyId } from '#contract/terms.ts'
import { breakout } from './breakout.ts'
import { coinToss } from './coin-toss.ts'
import { reversion } from './reversion.ts'
import type { Strategy } from './strategy.ts'
import { trend } from './trend.ts'

export { placeOf } from './place.ts'
export type { Candle, Strategy } from './strategy.ts'

/** All strategies, in the order in which screens show them. */
export const STRATEGIES: readonly Strategy[] = [trend, reversion, breakout, coinToss]

export const strategyOf = (id: StrategyId): Strategy => STRATEGIES.find((strategy) => strategy.id === id)!
