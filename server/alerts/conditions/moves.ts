import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { insert } from './price-levels.ts'
import type { JudgedTick, MoveAlert } from './terms.ts'

/** The lowest and highest price of a time; of none, infinity and minus infinity. */
interface Range {
  low: number
  high: number
}

const NOTHING: Range = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }

/** Prices this close to the least that fires are judged exactly. */
const ALMOST = 1 - 1e-9

const include = (range: Range, low: number, high: number): void => {
  if (low < range.low) range.low = low
  if (high > range.high) range.high = high
}

/** How far the price is above the lowest, in hundredths of a percent; `fall`: below the highest. */
const rise = (units: number, { low }: Range) => ((units - low) * 10_000) / low
const fall = (units: number, { high }: Range) => ((high - units) * 10_000) / high

const both = (a: Range, b: Range): Range => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) })

/** Whether a price within this range may fire an alert of a window. */
const isNear = ({ up, down }: Window, units: number, range: Range): boolean =>
  (up.at(-1)?.basisPoints ?? Number.POSITIVE_INFINITY) <= rise(units, range) ||
  (down.at(-1)?.basisPoints ?? Number.POSITIVE_INFINITY) <= fall(units, range)

/** Whether a price has moved far enough within a range. */
const isFar = ({ direction, basisPoints }: MoveAlert, units: number, range: Range): boolean =>
  (direction !== 'down' && rise(units, range) >= basisPoints) ||
  (direction !== 'up' && fall(units, range) >= basisPoints)

/** A window of whole minutes up to the current one, and the alerts of that length that were armed before it began. */
interface Window {
  /** The closed minutes in it. */
  closed: Range
  /** Minutes that have left it still count: it's read again before it fires anything. */
  isLoose: boolean
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
 * The armed alerts on moves of a symbol: '2% in 15 minutes' compares a price with the lowest and the highest of the
 * current minute and the 14 before it, and of those only with the price when the alert was armed and the whole minutes
 * since. Minutes, unlike ticks, are in memory for a day and on the tape permanently, so a restart judges the same.
 * Where prices come from another kind of source, simulated or live, nothing before counts: the jump is no move.
 */
export class Moves {
  readonly #minutes: Minutes
  #minute: Ms
  #now = { ...NOTHING }
  readonly #windows = new Map<number, Window>()
  #young: Young[] = []
  /** Prices between these fire none of the young ones while the minute has no new extreme. */
  #quiet: Range = { ...NOTHING }
  /** Since when prices come from the same kind of source. */
  #since: Ms

  /** `firstMinute`: the one of the first tick to come. `since`: when its kind of source began. */
  constructor(minutes: Minutes, firstMinute: Ms, since: Ms) {
    this.#minutes = minutes
    this.#minute = firstMinute
    this.#since = since
  }

  /** Prices come from another kind of source from this time on. */
  begin(since: Ms): void {
    this.#since = since
    this.#now = { ...NOTHING }
    this.#quiet = { ...NOTHING }
    for (const window of this.#windows.values()) {
      window.closed = { ...NOTHING }
      window.isLoose = false
    }
    for (const young of this.#young) young.range = { ...NOTHING }
  }

  add(alert: MoveAlert): void {
    const armedIn = startOf(alert.baseMs, MINUTE_MS)
    if (this.#isMature(armedIn, alert.minutes)) {
      this.#mature(alert)
      return
    }
    const range = alert.baseMs < this.#since ? { ...NOTHING } : { low: alert.base, high: alert.base }
    this.#minutes(armedIn + MINUTE_MS, this.#minute, (_, [, high, low]) => include(range, low, high))
    if (this.#minute > armedIn) include(range, this.#now.low, this.#now.high)
    this.#young.push({ alert, armedIn, range })
    this.#quiet = { ...NOTHING }
  }

  tick({ units, sourceMs }: JudgedTick, fire: (alert: MoveAlert) => void): void {
    if (sourceMs >= this.#minute + MINUTE_MS) this.#roll(startOf(sourceMs, MINUTE_MS))
    const now = this.#now
    const isExtreme = units < now.low || units > now.high
    include(now, units, units)
    for (const [length, window] of this.#windows) {
      const { up, down } = window
      if (window.isLoose && isNear(window, units, both(window.closed, now))) this.#read(length, window)
      const range = both(window.closed, now)
      reach(up, rise(units, range), fire)
      reach(down, fall(units, range), fire)
    }
    if (this.#young.length === 0) return
    if (isExtreme || units <= this.#quiet.low || units >= this.#quiet.high) this.#judgeYoung(units, fire)
  }

  #judgeYoung(units: number, fire: (alert: MoveAlert) => void): void {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (const { alert, armedIn, range } of this.#young) {
      if (alert.gone) continue
      if (this.#minute > armedIn) include(range, units, units)
      if (isFar(alert, units, range)) fire(alert)
      const part = (alert.basisPoints / 10_000) * ALMOST
      if (alert.direction !== 'down') high = Math.min(high, range.low * (1 + part))
      if (alert.direction !== 'up') low = Math.max(low, range.high * (1 - part))
    }
    this.#quiet = { low, high }
  }

  /** Begins a minute. */
  #roll(to: Ms): void {
    const [before, was] = [this.#minute, this.#now]
    this.#minute = to
    this.#now = { ...NOTHING }
    this.#quiet = { ...NOTHING }
    for (const window of this.#windows.values()) {
      include(window.closed, was.low, was.high)
      window.isLoose = true
    }
    this.#young = this.#young.filter(({ alert, armedIn, range }) => {
      if (alert.gone) return false
      if (before > armedIn) include(range, was.low, was.high)
      if (!this.#isMature(armedIn, alert.minutes)) return true
      this.#mature(alert)
      return false
    })
  }

  /** Reads the closed minutes of a window. */
  #read(length: number, window: Window): void {
    const closed = { ...NOTHING }
    this.#minutes(this.#beginOf(length), this.#minute, (_, [, high, low]) => include(closed, low, high))
    window.closed = closed
    window.isLoose = false
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
      window = { closed: { ...NOTHING }, isLoose: false, up: [], down: [] }
      this.#read(length, window)
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
