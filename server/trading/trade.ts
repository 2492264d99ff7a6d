import type { TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { add, percentHalfUp, type Usd, ZERO_USD } from '#kernel/money.ts'
import type { Price } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'

/** How each version of the rules decides a trade. A change to what one gives is a new version. */
const RULES = { 'FT-1': decideFt1 }

export type RuleVersion = keyof typeof RULES
/** The version of new trades. Each trade keeps the one it was made under. */
export const RULE_VERSION: RuleVersion = 'FT-1'

/** Returns the version with this name; undefined if this build doesn't know it. */
export const ruleVersion = (name: string): RuleVersion | undefined =>
  Object.hasOwn(RULES, name) ? (name as RuleVersion) : undefined

/** The entry tick must come within this time after the trade. */
export const ENTRY_WITHIN_MS = 10_000

/** The terms that decide a trade, fixed at acceptance. Times are tape time. */
export interface Terms {
  side: TradeSide
  stake: Usd
  /** Profit of a winning trade, in percent of the stake. */
  percent: number
  tradeTime: Ms
  endTime: Ms
  /** The maximum age of the exit tick at `endTime`. */
  staleAfterMs: number
  /** Kind of the symbol's source at acceptance. */
  sourceKind: number
  rule: RuleVersion
}

/** A published price of one symbol. `sourceMs` strictly increases with `seq`. */
export interface Tick {
  seq: bigint
  sourceMs: Ms
  price: Price
  kind: number
}

/** Returns a symbol's ticks between two times, inclusive, in order; throws `TicksDropped` if they are gone. */
export type TickReader = (symbolId: number, from: Ms, to: Ms) => Promise<Tick[]>

export interface Outcome {
  status: Exclude<TradeStatus, 'Pending' | 'Sold'>
  /** Payout credited to the balance, stake included. */
  payout: Usd
  /** The reason, as the trader reads it. */
  reason: string
  entry?: Tick
  exit?: Tick
}

export const REASON = {
  above: 'The price ended above the entry.',
  below: 'The price ended below the entry.',
  equal: 'The price ended where it began: the stake was returned.',
  noEntry: 'No price came within 10 seconds after the trade: the stake was returned.',
  noExit: 'There was no fresh price at the end: the stake was returned.',
  sourceChanged: 'The source of the prices changed during the trade: the stake was returned.',
} as const

/** A void that two operators recorded before the trade's end. */
export interface OperatorVoid {
  reason: string
  /** Whether the trade already had its entry at that time. */
  entered: boolean
}

const VOIDED = 'An operator voided this trade and returned the stake: '

/** The reason shown to the trader. */
export const voidedReason = (reason: string): string => `${VOIDED}${reason}`

/** Whether operators decided the trade, and not the tape. */
export const isVoidedByOperators = (outcomeReason: string): boolean => outcomeReason.startsWith(VOIDED)

/**
 * Returns the first tick with a source time after the trade, within 10 s: nobody trades on a price they have already
 * seen. `ticks` in order.
 */
export function findEntry(terms: Terms, ticks: readonly Tick[]): Tick | undefined {
  const first = ticks.find((tick) => tick.sourceMs > terms.tradeTime)
  return first && first.sourceMs <= terms.tradeTime + ENTRY_WITHIN_MS ? first : undefined
}

/** Returns the last tick at or before the end, later than the entry and not stale at that moment. `ticks` in order. */
function findExit(terms: Terms, entry: Tick, ticks: readonly Tick[]): Tick | undefined {
  const last = ticks.findLast((tick) => tick.sourceMs <= terms.endTime)
  return last && last.sourceMs > entry.sourceMs && last.sourceMs >= terms.endTime - terms.staleAfterMs
    ? last
    : undefined
}

/**
 * Decides a trade by its rule: a pure function of its terms, the tape and a recorded void by operators. The same for real
 * and demo, for any user, at any time. `ticks` are the symbol's, in order, and span at least from the trade to a proven
 * `endTime`. Settlement applies the same rules to sets in SQL (settle.sql.ts), and `packages/verify` has them once more; a
 * table of cases and property tests compare the three.
 */
export const decideOutcome = (terms: Terms, ticks: readonly Tick[], operatorVoid?: OperatorVoid): Outcome =>
  RULES[terms.rule](terms, ticks, operatorVoid)

function decideFt1(terms: Terms, ticks: readonly Tick[], operatorVoid?: OperatorVoid): Outcome {
  const entry = findEntry(terms, ticks)
  if (operatorVoid) {
    const reason = voidedReason(operatorVoid.reason)
    return { status: 'Void', payout: terms.stake, reason, ...(operatorVoid.entered && entry ? { entry } : {}) }
  }
  if (!entry) return { status: 'Void', payout: terms.stake, reason: REASON.noEntry }
  const changed = ticks.some(
    (tick) => tick.sourceMs > terms.tradeTime && tick.sourceMs <= terms.endTime && tick.kind !== terms.sourceKind,
  )
  if (changed) return { status: 'Void', payout: terms.stake, reason: REASON.sourceChanged, entry }
  const exit = findExit(terms, entry, ticks)
  if (!exit) return { status: 'Void', payout: terms.stake, reason: REASON.noExit, entry }
  if (exit.price === entry.price) return { status: 'Draw', payout: terms.stake, reason: REASON.equal, entry, exit }
  const above = exit.price > entry.price
  const won = above === (terms.side === 'Buy')
  return {
    status: won ? 'Won' : 'Lost',
    payout: won ? add(terms.stake, profitIfRight(terms.stake, terms.percent)) : ZERO_USD,
    reason: above ? REASON.above : REASON.below,
    entry,
    exit,
  }
}

/** Returns the profit of a winning trade (without the stake), in cents, rounded half up. */
export const profitIfRight = (stake: Usd, percent: number): Usd => percentHalfUp(stake, percent)
