import { first, last, must } from '#kernel/must.ts'
import type { Receipt, ReceiptTick } from '#packages/verify/verify.js'
import { decidedBy, secondsBetween } from './words.ts'

export type MarkKind = 'neighbour' | 'entry' | 'exit' | 'late' | 'change'

/** A price in the picture. `x` in percent of the panel's width, `y` in pixels. */
export interface Mark {
  kind: MarkKind
  word: string
  tick: ReceiptTick
  x: number
  y: number
}

/** One stretch of tape, with its contents from left to right. */
export interface Panel {
  title: string
  caption: string
  marks: Mark[]
  /** A moment without a price: the order, or the end. */
  line: { word: string; time: number; x: number } | undefined
}

export interface Picture {
  panels: Panel[]
  /** The height of the entry's price, which runs through all panels. */
  entryY: number | undefined
  /** Everything in the picture, in order of time. */
  rows: { kind: MarkKind | 'line'; word: string; price: string | undefined; time: number }[]
}

export const HEIGHT = 132
const TOP = 42
const BOTTOM = 100
/** Different prices are at least this far apart, pixels. */
const APART = 13
const LEFT = 16
const RIGHT = 82

/** Lays out the prices around entry and exit. `undefined` if no price decided the trade. */
export function pictureOf(receipt: Receipt): Picture | undefined {
  const decided = decidedBy(receipt)
  if (decided === 'by operators') return undefined
  const { trade, ticks } = receipt
  const all = [...Object.values(ticks), 'sold' in receipt ? receipt.sold.before : null]
  const y = heightsOf(all.flatMap((tick) => (tick ? [tick.price] : [])))
  const mark: MarkOf = (kind, word, tick, x) => (tick ? [{ kind, word, tick, x, y: y(tick.price) }] : [])
  const isEntered = decided !== 'no entry'
  const { entry } = ticks
  const panels: Panel[] = [
    {
      title: isEntered ? 'Entry' : 'No entry',
      caption: entry
        ? `${secondsBetween(trade.trade_time, entry.time)} after the order`
        : 'none within 10 s after the order',
      marks: [
        ...mark('neighbour', 'Before', ticks.before_entry, LEFT),
        ...mark(isEntered ? 'entry' : 'late', isEntered ? 'Entry' : 'Too late', entry, RIGHT),
      ],
      line: {
        word: 'Order',
        time: trade.trade_time,
        x: between(ticks.before_entry?.time, trade.trade_time, entry?.time),
      },
    },
  ]
  const ended = endOf(receipt, mark)
  if (ended) panels.push(ended)
  const rows = panels
    .flatMap(({ marks, line }) => [
      ...marks.map(({ kind, word, tick }) => ({ kind, word, price: tick.price, time: tick.time })),
      ...(line ? [{ kind: 'line' as const, word: line.word, price: undefined, time: line.time }] : []),
    ])
    .sort((a, b) => a.time - b.time)
  return { panels, entryY: isEntered && entry ? y(entry.price) : undefined, rows }
}

type MarkOf = (kind: MarkKind, word: string, tick: ReceiptTick | null, x: number) => Mark[]

/** The stretch of tape that ended the trade: its sale, its exit, or why it has none. */
function endOf(receipt: Receipt, mark: MarkOf): Panel | undefined {
  const { trade, ticks } = receipt
  if (ticks.change)
    return {
      title: 'No exit',
      caption: `${secondsBetween(ticks.change.time, trade.end_time)} before the end`,
      marks: mark('change', 'Other source', ticks.change, 50),
      line: undefined,
    }
  if (!ticks.exit) return undefined
  if ('sold' in receipt) {
    const { before } = receipt.sold
    const { ordered_at } = receipt.outcome.sale
    return {
      title: 'Sale',
      caption: `${secondsBetween(ordered_at, ticks.exit.time)} after the order to sell`,
      marks: [...mark('neighbour', 'Before', before, LEFT), ...mark('exit', 'Sale', ticks.exit, RIGHT)],
      line: { word: 'Order to sell', time: ordered_at, x: between(before.time, ordered_at, ticks.exit.time) },
    }
  }
  const isExit = decidedBy(receipt) === 'by prices'
  return {
    title: isExit ? 'Exit' : 'No exit',
    caption: `${secondsBetween(ticks.exit.time, trade.end_time)} before the end`,
    marks: [
      ...mark(isExit ? 'exit' : 'late', isExit ? 'Exit' : 'Too old', ticks.exit, LEFT + 4),
      ...mark('neighbour', 'After', ticks.after_exit, RIGHT + 4),
    ],
    line: { word: 'End', time: trade.end_time, x: between(ticks.exit.time, trade.end_time, ticks.after_exit?.time) },
  }
}

/** Where a moment is between two others, percent of the width: never so close to one that its label would collide. */
function between(from: number | undefined, moment: number, to: number | undefined): number {
  const share = from === undefined || to === undefined || to <= from ? 0.5 : (moment - from) / (to - from)
  return LEFT + 2 + Math.min(0.68, Math.max(0.32, share)) * (RIGHT - LEFT)
}

/** Returns the height of each price: higher is higher, in scale as far as different prices stay apart. */
function heightsOf(prices: readonly string[]): (price: string) => number {
  const values = [...new Set(prices.map(Number))].sort((a, b) => a - b)
  if (values.length < 2) return () => (TOP + BOTTOM) / 2
  const span = last(values) - first(values)
  const room = BOTTOM - TOP - APART * (values.length - 1)
  const heights = new Map<number, number>()
  values.forEach((value, i) => {
    heights.set(value, BOTTOM - APART * i - (room * (value - first(values))) / span)
  })
  return (price) => Math.round(must(heights.get(Number(price))) * 10) / 10
}
