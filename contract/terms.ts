/**
 * The fixed terms of trading and prices, separate from the schemas that use them, so that a browser can load them
 * alone.
 */

export const MODES = ['real', 'demo'] as const
export type Mode = (typeof MODES)[number]
export const TRADE_MODES = ['Buy', 'Sell'] as const
export type TradeMode = (typeof TRADE_MODES)[number]
/** Seconds. */
export const DURATIONS = [60, 180, 300, 900, 1800, 3600, 7200, 86400] as const
/** Profit of a winning trade: percent for Buy / percent for Sell. */
export const STRIKE_RATES = ['75/3', '12/5', '11/13', '1/18', '1/61'] as const
export type StrikeRate = (typeof STRIKE_RATES)[number]
export const TRADE_STATUSES = ['Pending', 'Won', 'Lost', 'Draw', 'Void'] as const
export type TradeStatus = (typeof TRADE_STATUSES)[number]

/** Returns the profit of a winning trade in percent of the stake. */
export function percentOf(strikeRate: StrikeRate, tradeMode: TradeMode): number {
  const [buy, sell] = strikeRate.split('/')
  return Number(tradeMode === 'Buy' ? buy : sell)
}

export const TRADING_TYPES = ['Cryptocurrency', 'Currencies'] as const
export type TradingType = (typeof TRADING_TYPES)[number]

/** Candle intervals, in milliseconds. */
export const CANDLE_INTERVALS = {
  '1s': 1_000,
  '5s': 5_000,
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const
export type CandleInterval = keyof typeof CANDLE_INTERVALS

/** The ladder of plans, lowest first. `value` identifies a plan in the API; its trades per day are automatic (ATS). */
export const PLANS = [
  // The specification leaves this plan's trades a day blank on phones; the screens hide it by its value.
  { name: 'BEGINNER', value: 'Beginner-3000', priceUsd: 3_000, tradesADay: 1, feature: 'ATS' },
  { name: 'GOLD', value: 'Gold-7600', priceUsd: 7_600, tradesADay: 5, feature: 'ATS' },
  { name: 'PLATINUM', value: 'Platinum-21199', priceUsd: 21_199, tradesADay: 10, feature: 'ATS' },
  { name: 'DIAMOND', value: 'Diamond-50730', priceUsd: 50_730, tradesADay: 14, feature: 'ATS (VIP)' },
] as const
export type PlanValue = (typeof PLANS)[number]['value']

/** Coins for deposits and withdrawals. */
export const COINS = ['BTC', 'ETH'] as const
export type Coin = (typeof COINS)[number]
export const DEPOSIT_STATUSES = ['Pending', 'Approved', 'Rejected'] as const
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number]
export const WITHDRAW_STATUSES = ['Pending', 'Processing', 'Paid', 'Rejected', 'Cancelled'] as const
export type WithdrawStatus = (typeof WITHDRAW_STATUSES)[number]
export const BANK_ACCOUNT_TYPES = ['Checking', 'Savings'] as const
/** Maximum size of an uploaded receipt, in bytes. */
export const RECEIPT_MAX_BYTES = 5_242_880
/** Business days to pay a withdrawal or review a submitted deposit. */
export const WITHDRAW_BUSINESS_DAYS = 5
export const DEPOSIT_BUSINESS_DAYS = 1

export const VERIFICATION_STATUSES = ['Pending', 'Approved', 'Rejected'] as const
export const PLAN_REQUEST_STATUSES = ['Pending', 'Approved', 'Rejected', 'Cancelled'] as const

/** Roles at the desk; an operator may have several. */
export const OPERATOR_ROLES = ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]
