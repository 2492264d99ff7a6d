import { STRATEGY_IDS, type StrategyKey } from '#contract/terms.ts'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import type { PublishedStrategy, StrategyStatistics } from '#contract/trading/signals.ts'

/** A strategy that can be followed. */
export interface StrategyNames {
  id: StrategyKey
  name: string
  rule: string
  /** The only duration of a trader's strategy, in seconds, and its only symbols; the platform's have all. */
  duration?: number
  symbols?: readonly string[]
}

interface Known {
  strategies: readonly Pick<StrategyStatistics, 'id' | 'name' | 'rule'>[]
  published: readonly Pick<PublishedStrategy, 'id' | 'name' | 'rule' | 'duration'>[]
}

/**
 * Returns what a trader can follow: the platform's strategies, their own whose signals are on, and what others have
 * published. Before they have loaded, the platform's without their rules.
 */
export function strategyNames(known: Known | undefined, own: readonly OwnStrategy[] = []): StrategyNames[] {
  const platforms = known?.strategies ?? STRATEGY_IDS.map((id) => ({ id, name: nameOfId(id), rule: '' }))
  const mine = own
    .filter(({ signals_on }) => signals_on)
    .map(({ key, name, sentence, duration, symbols }) => ({
      ...{ id: key as StrategyKey, name: `${name} (mine)`, rule: sentence },
      ...{ duration, symbols },
    }))
  const ids = new Set<string>(mine.map(({ id }) => id))
  return [...platforms, ...mine, ...(known?.published ?? []).filter(({ id }) => !ids.has(id))]
}

const nameOfId = (id: string): string => (id.charAt(0).toUpperCase() + id.slice(1)).replaceAll('-', ' ')
