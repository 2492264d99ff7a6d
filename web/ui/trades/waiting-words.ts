import type { WaitingCondition, WaitingOrder } from '#contract/trading/waiting.ts'
import { formatPrice, formatTime } from '../format.ts'

const CONDITIONS: Record<WaitingCondition, string> = {
  at_or_above: 'at or above',
  at_or_below: 'at or below',
  at_time: 'at',
}

/** What an order waits for: `at or above 70,000.00`, `at 14:30`. */
export function waitingWords({ condition, level, at }: Pick<WaitingOrder, 'condition' | 'level' | 'at'>): string {
  return `${CONDITIONS[condition]} ${condition === 'at_time' ? formatTime(at ?? '').slice(0, 5) : formatPrice(level)}`
}
