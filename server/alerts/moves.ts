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

/** How far the price is above the lowest, in hundredths of a percent; `fall`: below the highest. */
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
export class Moves {
  readonly #minutes: Minutes
  #minute: Ms
  #now = { ...NOTHING }
  readonly #windows = new Map<number, Window>()
  #young: Young[] = []

  /** `firstMinute`: the one of the first tick to come. */
  constructor(minutes: Minutes, firstMinute: Ms) {
    this.#minutes = minutes
    this.#minute = firstMinute
  }

  add(alert: MoveAlert): void {
    const armedIn = startOf(alert.baseMs, MINUTE_MS)
    if (this.#isMature(armedIn, alert.minutes)) {
      this.#mature(alert)
      return
    }
    const range = { low: alert.base, high: alert.base }
    this.#minutes(armedIn + MINUTE_MS, this.#minute, (_, [, high, low]) => include(range, low, high))
    if (this.#minute > armedIn) include(range, this.#now.low, this.#now.high)
    this.#young.push({ alert, armedIn, range })
  }

  tick({ units, sourceMs }: JudgedTick, fire: (alert: MoveAlert) => void): void {
    if (sourceMs >= this.#minute + MINUTE_MS) this.#roll(startOf(sourceMs, MINUTE_MS))
    const now = this.#now
    include(now, units, units)
    for (const { closed, up, down } of this.#windows.values()) {
      const range = { low: Math.min(closed.low, now.low), high: Math.max(closed.high, now.high) }
      reach(up, rise(units, range), fire)
      reach(down, fall(units, range), fire)
    }
    for (const { alert, armedIn, range } of this.#young) {
      if (this.#minute > armedIn) include(range, units, units)
      if (!alert.gone && isFar(alert, units, range)) fire(alert)
    }
  }

  /** Begins a minute. */
  #roll(to: Ms): void {
    const [before, was] = [this.#minute, this.#now]
    this.#minute = to
    this.#now = { ...NOTHING }
    this.#readWindows()
    this.#young = this.#young.filter(({ alert, armedIn, range }) => {
      if (alert.gone) return false
      if (before > armedIn) include(range, was.low, was.high)
      if (!this.#isMature(armedIn, alert.minutes)) return true
      this.#mature(alert)
      return false
    })
  }

  /** Reads the closed minutes of all windows, in one pass. */
  #readWindows(): void {
    if (this.#windows.size === 0) return
    for (const window of this.#windows.values()) window.closed = { ...NOTHING }
    const longest = Math.max(...this.#windows.keys())
    this.#minutes(this.#beginOf(longest), this.#minute, (at, [, high, low]) => {
      for (const [length, { closed }] of this.#windows) if (at >= this.#beginOf(length)) include(closed, low, high)
    })
  }

  #beginOf(length: number): Ms {
    return this.#minute - (length - 1) * MINUTE_MS
  }

  /** Whether the minute when an alert was armed has left its window. */
  #isMature(armedIn: Ms, length: number): boolean {
    return armedIn < this.#beginOf(length)
  }

  #mature(alert: MoveAlert): void {
    const window = this.#windowOf(alert.minutes)
    const isMore = (one: MoveAlert) => one.basisPoints > alert.basisPoints
    if (alert.direction !== 'down') insert(window.up, alert, isMore)
    if (alert.direction !== 'up') insert(window.down, alert, isMore)
  }

  #windowOf(length: number): Window {
    let window = this.#windows.get(length)
    if (!window) {
      const closed = { ...NOTHING }
      this.#minutes(this.#beginOf(length), this.#minute, (_, [, high, low]) => include(closed, low, high))
      window = { closed, up: [], down: [] }
      this.#windows.set(length, window)
    }
    return window
  }
}

/** Fires the alerts that need no more than this. */
function reach(list: MoveAlert[], moved: number, fire: (alert: MoveAlert) => void): void {
  for (let next = list.at(-1); next !== undefined && (next.gone || next.basisPoints <= moved); next = list.at(-1)) {
    list.pop()
    if (!next.gone) fire(next)
  }
}
