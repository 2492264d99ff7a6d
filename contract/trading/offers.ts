/**
 * Which pairs the price lists offer where and when: pure functions, so that the server and the ticket decide by the same
 * code. PostgreSQL has the same as `offered_pairs`.
 */

import { must } from '#kernel/must.ts'
import { DAY_MS, HOUR_MS, type Ms } from '#kernel/time.ts'
import {
  percentOf,
  type StrikeChoice,
  type StrikeRate,
  strikeRateFor,
  type TradeSide,
  type TradingType,
} from '../terms.ts'

/** Maximum number of lists, of pairs in a list, and of rules. */
export const LISTS_MAX = 20
export const PAIRS_MAX = 8
export const RULES_MAX = 50
export const LIST_NAME_LENGTH = 40

export interface PriceListRule {
  /** Empty: any. */
  symbols: string[]
  /** Null: any. */
  group: TradingType | null
  /** Seconds. Empty: any. */
  durations: number[]
  /** Days of the week on which it begins, 0 is Sunday (UTC). */
  days: number[]
  /** Hours (UTC): from this one, up to that one. Over midnight if the first isn't the smaller one. */
  from_hour: number
  to_hour: number
  /** The number of the list, from 1. */
  list: number
}

export interface PriceListDocument {
  lists: { name: string; pairs: StrikeRate[] }[]
  /** The first that fits decides; else list 1 applies. */
  rules: PriceListRule[]
}

/** A version of the document, and from when it applies: tape time, Unix ms. */
export interface PriceListVersion {
  version: number
  document: PriceListDocument
  fromMs: Ms
}

/** What an order is for. */
export interface Wanted {
  symbol: string
  tradingType: TradingType
  /** Seconds. */
  duration: number
}

export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const

/** Whether a rule applies at all hours of all days. */
export const isAlways = ({ days, from_hour, to_hour }: PriceListRule): boolean =>
  days.length === EVERY_DAY.length && from_hour === 0 && to_hour === 24

/** Returns the number of the list that applies. */
export const listAt = ({ rules }: PriceListDocument, wanted: Wanted, atMs: Ms): number =>
  rules.find((rule) => isFor(rule, wanted) && isOn(rule, atMs))?.list ?? 1

/** Returns the pairs that are offered. */
export const pairsAt = (document: PriceListDocument, wanted: Wanted, atMs: Ms): readonly StrikeRate[] =>
  must(document.lists[listAt(document, wanted, atMs) - 1]).pairs

/**
 * Returns all pairs that are offered at some time for this duration, for any of these symbols; without symbols, for any.
 * A rule of a group counts for all.
 */
export const pairsEver = (document: PriceListDocument, wanted: WantedEver): readonly StrikeRate[] => [
  ...new Set(listsEver(document, wanted).flat()),
]

/** Returns the lowest percentage that a choice pays on a side, by any of the lists that apply at some time. */
export const leastPercent = (
  document: PriceListDocument,
  wanted: WantedEver,
  { choice, side }: { choice: StrikeChoice; side: TradeSide },
): number =>
  Math.min(...listsEver(document, wanted).map((pairs) => percentOf(strikeRateFor(choice, side, pairs), side)))

interface WantedEver {
  symbols: readonly string[]
  /** Seconds. */
  duration: number
}

/** Returns the pairs of each list that applies at some time. */
function listsEver({ lists, rules }: PriceListDocument, { symbols, duration }: WantedEver): (readonly StrikeRate[])[] {
  const fitting = rules.filter(
    (rule) =>
      (rule.durations.length === 0 || rule.durations.includes(duration)) &&
      (rule.symbols.length === 0 || symbols.length === 0 || rule.symbols.some((symbol) => symbols.includes(symbol))),
  )
  const numbers = new Set([1, ...fitting.map(({ list }) => list)])
  return [...numbers].map((number) => must(lists[number - 1]).pairs)
}

function isFor({ symbols, group, durations }: PriceListRule, { symbol, tradingType, duration }: Wanted): boolean {
  return (
    (symbols.length === 0 || symbols.includes(symbol)) &&
    (group === null || group === tradingType) &&
    (durations.length === 0 || durations.includes(duration))
  )
}

function isOn({ days, from_hour, to_hour }: PriceListRule, atMs: Ms): boolean {
  const hour = Math.floor(atMs / HOUR_MS) % 24
  // 1970 began on a Thursday.
  const day = (Math.floor(atMs / DAY_MS) + 4) % 7
  if (from_hour < to_hour) return hour >= from_hour && hour < to_hour && days.includes(day)
  return (hour >= from_hour && days.includes(day)) || (hour < to_hour && days.includes((day + 6) % 7))
}

/** A pair's place in time: the version that offers it, and from and until when nothing changes. */
export interface Offer {
  version: number
  fromMs: Ms
  untilMs: Ms
  pairs: readonly StrikeRate[]
}

/** Returns what is offered at a time, by these versions in ascending order. */
export function offerAt(versions: readonly PriceListVersion[], wanted: Wanted, atMs: Ms): Offer {
  const at = versions.findLastIndex(({ fromMs }) => fromMs <= atMs)
  const { version, document, fromMs } = must(versions[at])
  const nextMs = versions[at + 1]?.fromMs ?? Number.MAX_SAFE_INTEGER
  const pairs = pairsAt(document, wanted, atMs)
  if (document.rules.every(isAlways)) return { version, fromMs, untilMs: nextMs, pairs }
  const hourMs = atMs - (atMs % HOUR_MS)
  return { version, fromMs: Math.max(fromMs, hourMs), untilMs: Math.min(nextMs, hourMs + HOUR_MS), pairs }
}

/** Returns when other pairs begin to be offered, if they do within a day. */
export function changeAfter(versions: readonly PriceListVersion[], wanted: Wanted, atMs: Ms): Ms | undefined {
  const now = offerAt(versions, wanted, atMs)
  for (let at = now.untilMs; at <= atMs + DAY_MS; ) {
    const next = offerAt(versions, wanted, at)
    if (!isSame(next.pairs, now.pairs)) return at
    at = next.untilMs
  }
  return undefined
}

const isSame = (one: readonly StrikeRate[], other: readonly StrikeRate[]): boolean =>
  one.length === other.length && one.every((pair) => other.includes(pair))

/** Whether a document offers a pair anywhere, at any time. */
export const isListed = ({ lists }: PriceListDocument, pair: StrikeRate): boolean =>
  lists.some(({ pairs }) => pairs.includes(pair))
