import { breakEvenRate } from '#contract/prices/measured.ts'
import type { TradingType } from '#contract/prices/prices.ts'
import { percentOf, type StrikeChoice, type StrikeRate, strikeRateFor } from '#contract/terms.ts'
import type { SubmitTradeBody, TradeSide } from '#contract/trading/trading.ts'
import { usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { dollarsOf, formatUsd, readUsd, roundToCents, STAKE, toCents, winOf } from '#web/ui/index.ts'
import type { StakeMax } from './fields/stake-max.ts'

/** The trader's choices so far. The server decides prices, percentages and times. */
export interface Order {
  trading_type: TradingType
  symbol: string
  /** Seconds. */
  duration: number
  /** `best`: for each side the pair that pays it most. */
  strike_rate: StrikeChoice
  /** As typed; `undefined` until the trader edits it. */
  stake: string | undefined
  /** The stake that the trader chose last, before this screen was opened, US dollars. */
  lastStake?: number | undefined
}

/** US dollars. */
export const DEFAULT_STAKE = 100
export const QUICK_STAKES = [10, 50, 100, 250] as const

/** Returns the text of the stake field: what was typed, else the last stake or 100, if the balance covers it. */
export function shownStake({ stake, lastStake = DEFAULT_STAKE }: Pick<Order, 'stake' | 'lastStake'>, balance: number) {
  return stake ?? String(balance >= STAKE.min ? Math.min(lastStake, balance) : lastStake)
}

/** Returns the error for an invalid stake, US dollars; `undefined` if it may be placed. */
export function stakeProblem(typed: string, balance: number, max?: StakeMax): string | undefined {
  const { amount, problem } = readUsd(typed)
  if (amount === undefined) return problem
  const stake = usdToNumber(amount)
  if (stake < STAKE.min) return `must be at least ${STAKE.min}`
  // For an empty account the panel shows a separate message.
  if (stake > balance && balance >= STAKE.min) return `is above your balance of ${formatUsd(balance)}`
  if (max && max.binds !== 'balance' && stake > max.stake && balance >= STAKE.min)
    return `must be at most ${formatUsd(max.stake)}`
  return undefined
}

/** An order with the pairs that are offered for it now. */
export interface OfferedOrder extends Order {
  offered: readonly StrikeRate[]
  /** The pair that the trader chose, if it isn't offered here and now: the best one of each side is used instead. */
  instead: StrikeRate | undefined
}

/** Returns the order as it can be placed: with its pair if that is offered, else with the best one of each side. */
export function withOffered<O extends Order>(order: O, offered: readonly StrikeRate[]): O & OfferedOrder {
  const { strike_rate } = order
  const isOffered = strike_rate === 'best' || offered.includes(strike_rate)
  return { ...order, offered, ...(isOffered ? { instead: undefined } : { strike_rate: 'best', instead: strike_rate }) }
}

/** Returns the odds that repeat a trade: those of its pair, or the best of its side if it pays just that. */
export function oddsToRepeat(
  { side, percent, strike_rate }: { side: TradeSide; percent: number; strike_rate: StrikeRate },
  offered: readonly StrikeRate[],
): StrikeChoice {
  return percentOf(strikeRateFor('best', side, offered), side) === percent ? 'best' : strike_rate
}

type OrderField = 'trading_type' | 'symbol' | 'duration' | 'strike_rate' | 'stake'
export type OrderProblems = Partial<Record<OrderField, string>>

/** Returns every failing field with its first failing rule. */
export function orderProblems(order: Order, balance: number, max?: StakeMax): OrderProblems {
  const problems: OrderProblems = {}
  for (const field of ['trading_type', 'symbol', 'duration', 'strike_rate'] as const) {
    if (!order[field]) problems[field] = 'must not be empty'
  }
  const stake = stakeProblem(shownStake(order, balance), balance, max)
  if (stake) problems.stake = stake
  return problems
}

/**
 * Returns the stake after one arrow step, up or down, to the cent and never below the minimum stake. What can't be read
 * stays.
 */
export function stepStake(typed: string, direction: 1 | -1): string {
  const stake = typed.trim() === '' ? 0 : dollarsOf(typed)
  if (stake === undefined) return typed
  const cents = toCents(stake) + direction * toCents(STAKE.step)
  return String(Math.max(toCents(STAKE.min), cents) / 100)
}

/** What the phone's − and + step through, US dollars. */
const SCALE = [1, 10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

/** Returns the next stake of the scale, down or up; `undefined` at its end. */
export function scaledStake(typed: string, direction: 1 | -1): number | undefined {
  const stake = dollarsOf(typed) ?? 0
  return direction === 1 ? SCALE.find((one) => one > stake) : SCALE.findLast((one) => one < stake)
}

interface Payout {
  percent: number
  /** Profit of a winning trade, US dollars. */
  profit: number
  /** Stake plus profit. */
  payout: number
  /** Of 100 trades like this one, how many must win to break even. */
  breakEvenPercent: number
}

/** Returns what one side of an order pays if it wins. */
export function payoutOf(
  { strike_rate, offered }: Pick<OfferedOrder, 'strike_rate' | 'offered'>,
  side: TradeSide,
  typed: number,
): Payout {
  const percent = percentOf(strikeRateFor(strike_rate, side, offered), side)
  const stake = Number.isFinite(typed) && typed > 0 ? typed : 0
  const profit = winOf(stake, percent)
  return {
    percent,
    profit,
    payout: roundToCents(stake + profit),
    breakEvenPercent: breakEvenRate(percent),
  }
}

/** Returns the request body of an order without problems. */
export const bodyOf = (order: OfferedOrder, side: TradeSide, mode: SubmitTradeBody['mode'], balance: number) => ({
  symbol: order.symbol,
  trading_type: order.trading_type,
  trade_mode: side,
  amount: must(dollarsOf(shownStake(order, balance))),
  duration: order.duration as SubmitTradeBody['duration'],
  strike_rate: strikeRateFor(order.strike_rate, side, order.offered),
  mode,
})
