import type { Alert } from '#contract/trading/alerts.ts'
import type { WaitingOrder } from '#contract/trading/waiting.ts'

/** A price that something waits for, as a line on the chart. */
export interface PriceLine {
  key: string
  level: string
  of: { alert: Alert } | { order: WaitingOrder }
}

/** The farthest levels that the chart makes room for, above or below its bars, as a part of their height. */
const ROOM = 0.5

/**
 * The range of the levels that are near the bars from index `from` to `to`: the chart makes room for them. Without bars or
 * levels near them, nothing.
 */
export function levelsNear(
  bars: readonly { high: number; low: number }[],
  { from, to }: { from: number; to: number },
  levels: readonly number[],
): { minValue: number; maxValue: number } | undefined {
  let high = Number.NEGATIVE_INFINITY
  let low = Number.POSITIVE_INFINITY
  for (let index = Math.max(0, Math.floor(from)); index <= Math.min(bars.length - 1, Math.ceil(to)); index++) {
    high = Math.max(high, bars[index]!.high)
    low = Math.min(low, bars[index]!.low)
  }
  const room = (high - low) * ROOM
  const near = levels.filter((level) => level >= low - room && level <= high + room)
  return near.length === 0 ? undefined : { minValue: Math.min(...near), maxValue: Math.max(...near) }
}

export const alertLine = (alert: Alert): PriceLine => ({
  key: `alert ${alert.id}`,
  level: alert.level ?? '',
  of: { alert },
})

export const orderLine = (order: WaitingOrder): PriceLine => ({
  key: `order ${order.id}`,
  level: order.level ?? '',
  of: { order },
})

/** Whether an order is a line on the chart of a symbol. */
export const isLine = ({ symbol, status, condition }: WaitingOrder, of: string): boolean =>
  symbol === of && status === 'Waiting' && condition !== 'at_time'
