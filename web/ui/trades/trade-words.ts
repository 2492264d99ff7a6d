import type { TradeOrigin } from '#contract/terms.ts'
import type { TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import type { WaitingCondition, WaitingOrder } from '#contract/trading/waiting.ts'
import { percentHalfUp, usd, usdToNumber } from '#kernel/money.ts'
import type { Trade } from '#web/client/index.ts'
import { roundToCents, toCents } from '../cents.ts'
import { formatPrice, formatTime } from '../format.ts'

/** Shows 'Pending' as 'In Progress' and every other status unchanged. */
export const statusWord = (status: TradeStatus): string => (status === 'Pending' ? 'In Progress' : status)

/** Returns the profit of a settled trade, US dollars: payout minus stake. `undefined` while it is open. */
export const profitOf = (trade: Pick<Trade, 'stake' | 'payout'>): number | undefined =>
  trade.payout === undefined ? undefined : roundToCents(trade.payout - trade.stake)

export type Standing = 'won' | 'lost' | 'draw'

/** Returns the outcome of a trade at this price, by the settlement rule: an equal price is a draw. */
export function standingAt(side: TradeSide, entry: number, price: number): Standing {
  if (price === entry) return 'draw'
  return price > entry === (side === 'Buy') ? 'won' : 'lost'
}

/** Returns the profit of a winning trade, US dollars: a percentage of the stake, rounded half up to the cent. */
export const winOf = (stake: number, percent: number): number =>
  usdToNumber(percentHalfUp(usd(BigInt(toCents(stake))), percent))

export interface IfEndedNow {
  standing: Standing
  /** The change to the balance, US dollars: +75, −100, 0. */
  change: number
}

/** Returns the outcome if the trade ended at this price. `undefined` before entry or without a price. */
export function ifEndedNow(
  trade: Pick<Trade, 'side' | 'stake' | 'percent' | 'entry_price'>,
  price: string | number | undefined,
): IfEndedNow | undefined {
  if (trade.entry_price === undefined || price === undefined) return undefined
  const standing = standingAt(trade.side, trade.entry_price, Number(price))
  const change = standing === 'won' ? winOf(trade.stake, trade.percent) : standing === 'lost' ? -trade.stake : 0
  return { standing, change }
}

/** Returns the time left as text, for screen readers: `42 seconds`, `1 minute 5 seconds`, `2 hours`. */
export function timeLeftWords(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1_000))
  if (total === 0) return 'ending now'
  const parts: [number, string][] = [
    [Math.floor(total / 86_400), 'day'],
    [Math.floor((total % 86_400) / 3_600), 'hour'],
    [Math.floor((total % 3_600) / 60), 'minute'],
    [total % 60, 'second'],
  ]
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`)
    .join(' ')
}

/** Formats an amount of dollars without the unit: `+75.00`, `−100.00`, `0.00`. */
export const signedAmount = (amount: number): string =>
  `${amount > 0 ? '+' : amount < 0 ? '−' : ''}${Math.abs(amount).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** The day of the week; 0 is Monday. */
export const weekdayWord = (weekday: number): string => WEEKDAYS[weekday] ?? ''

/** The beginning of an hour of the day: `09:00`. */
export const hourWord = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

export const originWord = (origin: TradeOrigin): string => (origin === 'manual' ? 'By hand' : 'Automatic')

const NOTE_SHOWN = 60

/** The tags and the beginning of the note of a trade in one line; empty without any. */
export function noteLine({ note, tags }: Pick<Trade, 'note' | 'tags'>): string {
  const text = [tags?.map((tag) => `#${tag}`).join(' '), note?.replaceAll(/\s+/g, ' ')].filter(Boolean).join(' ')
  const shown = [...text]
  return shown.length > NOTE_SHOWN ? `${shown.slice(0, NOTE_SHOWN - 1).join('')}…` : text
}

const CONDITIONS: Record<WaitingCondition, string> = {
  at_or_above: 'at or above',
  at_or_below: 'at or below',
  at_time: 'at',
}

/** What an order waits for: `at or above 70,000.00`, `at 14:30`. */
export function waitingWords({ condition, level, at }: Pick<WaitingOrder, 'condition' | 'level' | 'at'>): string {
  return `${CONDITIONS[condition]} ${condition === 'at_time' ? formatTime(at ?? '').slice(0, 5) : formatPrice(level)}`
}
