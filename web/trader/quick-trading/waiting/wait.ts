import { create } from 'zustand'
import type { SubmitTradeBody } from '#contract/trading/trading.ts'
import type { WaitingOrderBody } from '#contract/trading/waiting.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { formatTime, readNumber, ungrouped } from '#web/ui/index.ts'

export type When = 'now' | 'price' | 'time'

/** When the next order is placed, as it's typed. */
interface Wait {
  when: When
  level: string
  /** `14:30`, in the time zone of the screen. */
  time: string
  /** How long it's valid, ms; 0 until it's cancelled. */
  validMs: number
}

export const VALID_FOR = [
  { ms: 0, name: 'Until cancelled' },
  { ms: HOUR_MS, name: '1 hour' },
  { ms: 4 * HOUR_MS, name: '4 hours' },
  { ms: DAY_MS, name: '1 day' },
  { ms: 7 * DAY_MS, name: '1 week' },
  { ms: 30 * DAY_MS, name: '30 days' },
] as const

const NOW: Wait = { when: 'now', level: '', time: '', validMs: 0 }

/** When the next order is placed. An order that was placed, and another symbol, begin with now. */
export const useWait = create<Wait>(() => NOW)
export const placeNow = (): void => useWait.setState(NOW)

/** What of an order says when it's placed. */
type Terms = Pick<WaitingOrderBody, 'condition' | 'level' | 'at' | 'valid_until'>
export type WaitProblems = Partial<Record<'level' | 'time', string>>

/** Returns what to wait for, or what is wrong with what was typed; undefined for now. */
export function waitTerms(
  { when, level, time, validMs }: Wait,
  price: string | undefined,
  nowMs: number,
): { terms: Terms } | { problems: WaitProblems } | undefined {
  if (when === 'now') return undefined
  if (when === 'time') {
    const at = nextTime(time, nowMs)
    if (at === undefined) return { problems: { time: 'must not be empty' } }
    return { terms: { condition: 'at_time', at: new Date(at).toISOString() } }
  }
  if (!(readNumber(level) > 0)) return { problems: { level: 'must be a price' } }
  const typed = ungrouped(level)
  if (price === undefined) return { problems: { level: 'needs a current price' } }
  if (Number(typed) === Number(price)) return { problems: { level: 'must be above or below the current price' } }
  return {
    terms: {
      condition: Number(typed) > Number(price) ? 'at_or_above' : 'at_or_below',
      level: typed,
      ...(validMs > 0 && { valid_until: new Date(nowMs + validMs).toISOString() }),
    },
  }
}

/** Returns the request of an order on these terms. */
export const waitingBody = ({ trading_type: _, ...order }: SubmitTradeBody, terms: Terms): WaitingOrderBody => ({
  ...order,
  ...terms,
})

/** Returns the next moment with this time of day on the screen's clock, Unix ms. */
export function nextTime(time: string, nowMs: number): number | undefined {
  const minutes = minutesOf(time)
  if (minutes === undefined) return undefined
  const minute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  const ahead = (from: number) => (minutes - (minutesOf(formatTime(from)) ?? 0) + 1_440) % 1_440
  const at = minute + (ahead(minute) || 1_440) * MINUTE_MS
  // The clocks may change until then.
  const off = ahead(at)
  return at + (off > 720 ? off - 1_440 : off) * MINUTE_MS
}

function minutesOf(time: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(time) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}
