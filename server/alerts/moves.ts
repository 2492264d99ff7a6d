import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { insert } from './price-levels.ts'
import type { JudgedTick, MoveAlert } from './terms.ts'

/** The lowest and highest price of a time; of none, infinity and minus infinity. */
interface Range {
  low: number
  high: number
}

const NOTHING: Range = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }

const include = (range: Range, low: number, high: number): void => {
  if (low < range.low) range.low = low
  if (high > range.high) range.high = high
}

/** How far the price is above the lowest, in hundredths of a percent; `down`: below the highest. */
const rise = (units: number, { low }: Range) => ((units - low) * 10_000) / low
const fall = (units: number, { high }: Range) => ((high - units) * 10_000) / high

/** Whether a price has moved far enough within a range. */
const isFar = ({ direction, basisPoints }: MoveAlert, units: number, range: Range): boolean =>
  (direction !== 'down' && rise(units, range) >= basisPoints) ||
  (direction !== 'up' && fall(units, range) >= basisPoints)

/** A window of whole minutes up to the current one, and the alerts of that length that were armed before it began. */
interface Window {
  /** The closed minutes in it. */
  closed: Range
  /** By what they need, the least last. */
  up: MoveAlert[]
  down: MoveAlert[]
}

/** An alert that was armed within its window: only its base and the whole minutes since then count. */
interface Young {
  alert: MoveAlert
  armedIn: Ms
  range: Range
}

type Minutes = (from: Ms, to: Ms, each: (minute: Ms, candle: readonly [number, number, number, number]) => void) => void

/**
 * The armed alerts on moves of a symbol: '2 % in 15 minutes' compares a price with the lowest and the highest of the
 * current minute and the 14 before it, and of those only with the price when the alert was armed and the whole minutes
 * since. Minutes, unlike ticks, are in memory for a day and on the tape permanently, so a restart judges the same.
 */
export interface Moves {
  add(alert: MoveAlert): void
  tick(tick: JudgedTick, fire: (alert: MoveAlert) => void): void
}

/** `firstMinute`: the one of the first tick to come. */
export function createMoves(minutes: Minutes, firstMinute: Ms): Moves {
  let minute = firstMinute
  let now = { ...NOTHING }
  const windows = new Map<number, Window>()
  let young: Young[] = []

  const isMature = (armedIn: Ms, length: number) => armedIn <= minute - length * MINUTE_MS

  function windowOf(length: number): Window {
    let window = windows.get(length)
    if (!window) {
      window = { closed: closedRange(minute - (length - 1) * MINUTE_MS), up: [], down: [] }
      windows.set(length, window)
    }
    return window
  }

  function closedRange(since: Ms): Range {
    const range = { ...NOTHING }
    minutes(since, minute, (_, [, high, low]) => include(range, low, high))
    return range
  }

  function mature(alert: MoveAlert): void {
    const window = windowOf(alert.minutes)
    const isMore = (one: MoveAlert) => one.basisPoints > alert.basisPoints
    if (alert.direction !== 'down') insert(window.up, alert, isMore)
    if (alert.direction !== 'up') insert(window.down, alert, isMore)
  }

  function roll(to: Ms): void {
    const before = minute
    minute = to
    // One pass over the minutes for all windows.
    for (const window of windows.values()) window.closed = { ...NOTHING }
    const longest = Math.max(0, ...windows.keys())
    if (longest > 1)
      minutes(minute - (longest - 1) * MINUTE_MS, minute, (at, [, high, low]) => {
        for (const [length, { closed }] of windows)
          if (at >= minute - (length - 1) * MINUTE_MS) include(closed, low, high)
      })
    const still: Young[] = []
    for (const one of young) {
      if (one.alert.gone) continue
      if (before > one.armedIn) include(one.range, now.low, now.high)
      if (isMature(one.armedIn, one.alert.minutes)) mature(one.alert)
      else still.push(one)
    }
    young = still
    now = { ...NOTHING }
  }

  function judgeYoung(units: number, fire: (alert: MoveAlert) => void): void {
    for (const { alert, armedIn, range } of young) {
      if (minute > armedIn) include(range, units, units)
      if (!alert.gone && isFar(alert, units, range)) fire(alert)
    }
  }

  return {
    add(alert) {
      const armedIn = startOf(alert.baseMs, MINUTE_MS)
      if (isMature(armedIn, alert.minutes)) return mature(alert)
      const range = { low: alert.base, high: alert.base }
      minutes(armedIn + MINUTE_MS, minute, (_, [, high, low]) => include(range, low, high))
      if (minute > armedIn) include(range, now.low, now.high)
      young.push({ alert, armedIn, range })
    },
    tick({ units, sourceMs }, fire) {
      if (sourceMs >= minute + MINUTE_MS) roll(startOf(sourceMs, MINUTE_MS))
      include(now, units, units)
      for (const { closed, up, down } of windows.values()) {
        const range = { low: Math.min(closed.low, now.low), high: Math.max(closed.high, now.high) }
        reach(up, rise(units, range), fire)
        reach(down, fall(units, range), fire)
      }
      if (young.length > 0) judgeYoung(units, fire)
    },
  }
}

/** Fires the alerts that need no more than this. */
function reach(list: MoveAlert[], moved: number, fire: (alert: MoveAlert) => void): void {
  for (let next = list.at(-1); next !== undefined && (next.gone || next.basisPoints <= moved); next = list.at(-1)) {
    list.pop()
    if (!next.gone) fire(next)
  }
}
