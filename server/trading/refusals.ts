import { Problem } from '#contract/problem.ts'
import type { StrikeRate } from '#contract/terms.ts'
import { dollars, type Usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { blockedProblem, checkDueProblem, ownLimitProblem } from '../guardrails/index.ts'
import { modeOf } from '../ledger/index.ts'
import { type AcceptRow, LATE_MS } from './acceptance/accept.sql.ts'
import type { Order } from './acceptance/order.ts'

/**
 * Returns why an order is rejected on its own, whatever the others of its account; undefined if they decide. `held`: the
 * account's balance. `isLone`: no other order shared the statement with it.
 */
export function refusalOf(
  order: Order,
  row: AcceptRow,
  held: Usd,
  { openStakeMax, isLone }: { openStakeMax: Usd; isLone: boolean },
): Problem | undefined {
  const { stake } = order
  if (row.locked) return lockedProblem()
  const stops = row.stops?.split(' ').map(Number) ?? []
  if (stops.includes(order.symbolId)) return symbolStopped()
  if (stops.includes(ALL_REAL) && modeOf(order.accountId) === 'real') return realTradingStopped()
  if (row.ahead) return clocksDiffer()
  if (order.pressedAt < Number(row.trade_time) - LATE_MS) return tooLate()
  // This stake alone was not covered under the lock, so it fails whatever the order of the others.
  if (stake > held) return new Problem('insufficient_balance', 'Insufficient balance')
  if (stake > openStakeMax - row.escrow) return openStakeProblem(openStakeMax)
  if (row.stop === 'blocked') return blockedProblem()
  if (row.stop === 'check') return checkDueProblem()
  if (row.guard_room !== null && stake > row.guard_room)
    return ownLimitProblem(must(row.guard), row.guard_room, Number(row.trade_time))
  if (row.full && isLone) return symbolLimitProblem()
  return undefined
}

/** The price lists offer other pairs for this symbol, duration and time. */
export const oddsUnavailable = (pair: StrikeRate, offered: readonly StrikeRate[]) =>
  new Problem(
    'odds_unavailable',
    `These odds (${pair}) aren't offered for this symbol and duration right now. Choose others: ${offered.join(', ')}.`,
    { errors: [{ field: 'strike_rate', message: `must be one of ${offered.join(', ')}` }] },
  )
/** The clocks of this process, the database and the tape disagree, so a trade can't be dated. */
export const clocksDiffer = () =>
  new Problem('unavailable', 'Trading is paused for a moment while we synchronize our clocks. Try again shortly.', {
    retryAfterSeconds: 5,
  })
export const overloaded = () =>
  new Problem('unavailable', 'More orders are waiting than we can place right now. Try again in a second.', {
    retryAfterSeconds: 1,
  })
const lockedProblem = () => new Problem('account_locked', 'Trading is locked for this account. Contact support.')
/** Stands for all symbols with real money among the stopped ones. */
const ALL_REAL = -1
const symbolStopped = () =>
  new Problem('price_unavailable', 'Trading this symbol is stopped. Open trades run on and settle.')
const realTradingStopped = () =>
  new Problem(
    'price_unavailable',
    'Real trading is stopped. Open trades run on and settle. You can still trade on demo.',
  )
const openStakeProblem = (max: Usd) =>
  new Problem('limit_reached', `Your open stakes can't exceed ${dollars(max)} in total. Wait for a trade to settle.`)
const symbolLimitProblem = () =>
  new Problem('limit_reached', 'This symbol has reached its limit for open stakes. Choose another symbol or try later.')
/** Winning it would cost the house more than it may lose on this side. */
export const sideFull = ({ side }: Order) =>
  new Problem(
    'limit_reached',
    `So many trades are open on this side that we can't take this ${side} with real money right now. Try ${side === 'Buy' ? 'Sell' : 'Buy'}, a smaller stake, or again later.`,
  )
/** The house has no equity. */
export const realTradingClosed = () =>
  new Problem('price_unavailable', "Real trading isn't open right now. You can still trade on demo.")
/** The order is too old to be placed now, or ever. */
const tooLate = () =>
  new Problem(
    'order_expired',
    "Your order couldn't be placed within 2 seconds, so no trade was placed. Check the price and try again.",
  )
/** Another transaction has kept the account locked for too long; it may still have placed the order. */
export const accountBusy = () =>
  new Problem('unavailable', 'Another request on your account is taking too long. Try again shortly.', {
    retryAfterSeconds: 2,
  })
