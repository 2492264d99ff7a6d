import type { Alert } from '#contract/trading/alerts.ts'
import type { WaitingOrder } from '#contract/trading/waiting.ts'

/** A price that something waits for, as a line on the chart. */
export interface PriceLine {
  key: string
  level: string
  of: { alert: Alert } | { order: WaitingOrder }
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
