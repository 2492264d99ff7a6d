import { BACKTEST } from '#contract/trading/backtest.ts'
import { first, last } from '#kernel/must.ts'

const DAY_MS = 86_400_000

/** Numbers of days that can be tried with so many symbols. */
export function daysOffered(symbols: number): number[] {
  const most = Math.min(BACKTEST.days, Math.floor(BACKTEST.symbolDays / Math.max(1, symbols)))
  return [1, 2, 3, 7, 14, 31].filter((days) => days === 1 || days <= most)
}

/** Returns the first and last UTC day of the newest days of the tape. `now`: tape time, Unix ms. */
export function rangeOf(now: number, days: number): { from: string; to: string } {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  return { from: day(now - (days - 1) * DAY_MS), to: day(now) }
}

/** Returns the points of a balance curve in a box, with a small margin above and below. */
export function curvePoints(equity: readonly (readonly [number, number])[], width: number, height: number): string {
  if (equity.length === 0) return ''
  const values = equity.map(([, dollars]) => dollars)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const [[from], [to]] = [first(equity), last(equity)]
  const round = (value: number) => Math.round(value * 10) / 10
  return equity
    .map(([time, dollars]) => {
      const x = to === from ? width : ((time - from) / (to - from)) * width
      const y = high === low ? height / 2 : 4 + (1 - (dollars - low) / (high - low)) * (height - 8)
      return `${round(x)},${round(y)}`
    })
    .join(' ')
}

/** Returns the height of each hour's bar, of 60; hours without a decided trade have none. */
export const hourBars = (hours: readonly (readonly [number, number])[]): { hour: number; height: number }[] =>
  hours.flatMap(([won, lost], hour) =>
    won + lost === 0 ? [] : [{ hour, height: Math.max(1, Math.round((won / (won + lost)) * 60)) }],
  )
