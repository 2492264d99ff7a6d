/**
 * The fixed terms of trading and prices, separate from the schemas that use them, so that a browser can load them
 * alone.
 */

export const MODES = ['real', 'demo'] as const
export type Mode = (typeof MODES)[number]
export const TRADE_SIDES = ['Buy', 'Sell'] as const
export type TradeSide = (typeof TRADE_SIDES)[number]
/** Seconds. */
export const DURATIONS = [60, 180, 300, 900, 1800, 3600, 7200, 86400] as const
/** Profit of a winning trade: percent for Buy / percent for Sell. Which are offered is in the price lists. */
export type StrikeRate = `${number}/${number}`
/** The pairs of the first price list, before operators change it. */
export const STRIKE_RATES = ['75/3', '12/5', '11/13', '1/18', '1/61'] as const satisfies readonly StrikeRate[]
/** The form of a pair: two whole percents from 1 to 100. */
export const STRIKE_RATE = /^([1-9]\d?|100)\/([1-9]\d?|100)$/
export const TRADE_STATUSES = ['Pending', 'Won', 'Lost', 'Draw', 'Void', 'Sold'] as const
export type TradeStatus = (typeof TRADE_STATUSES)[number]

/** Placed by hand, or by an automation of the trader's. */
export const TRADE_ORIGINS = ['manual', 'automatic'] as const
export type TradeOrigin = (typeof TRADE_ORIGINS)[number]

/** Maximum length of a trader's note on a trade and of a tag, tags of a trade, and different tags of an account. */
export const TRADE_NOTE_LENGTH = 500
export const TAG_LENGTH = 24
export const TAGS_PER_TRADE = 5
export const TAGS_MOST = 100

/** Returns the profit of a winning trade in percent of the stake. */
export function percentOf(strikeRate: StrikeRate, side: TradeSide): number {
  const [buy, sell] = strikeRate.split('/')
  return Number(side === 'Buy' ? buy : sell)
}

/** The strategies of automatic trades; `coin-toss` is the control. */
export const STRATEGY_IDS = ['trend', 'reversion', 'breakout', 'coin-toss'] as const
export type StrategyId = (typeof STRATEGY_IDS)[number]
/** So many decided signals put a published strategy on the leaderboard. */
export const LEADERBOARD_FROM = 100
/** A strategy of a trader, by its number. */
export type OwnStrategyKey = `own-${number}`
/** The platform's strategies, and those of traders. */
export type StrategyKey = StrategyId | OwnStrategyKey

export const ownStrategyKey = (number: number | bigint | string): OwnStrategyKey => `own-${number}` as OwnStrategyKey
export const isOwnStrategy = (key: string): key is OwnStrategyKey => /^own-[1-9]\d{0,14}$/.test(key)
export const isStrategyKey = (key: string): key is StrategyKey => isStrategyId(key) || isOwnStrategy(key)
export const isStrategyId = (key: string): key is StrategyId => (STRATEGY_IDS as readonly string[]).includes(key)
/**
 * Durations, in seconds, that strategies have signals for. A signal is computed from candles as long as its trade.
 */
export const SIGNAL_DURATIONS = [60, 180, 300, 900, 1800, 3600] as const
export type SignalDuration = (typeof SIGNAL_DURATIONS)[number]

/** The sides of automatic trades. */
export const SIDES = ['both', ...TRADE_SIDES] as const
export type Sides = (typeof SIDES)[number]
/** The strike rate that traders choose. `best`: for each side the offered one that pays most. */
export type StrikeChoice = 'best' | StrikeRate

/** Returns the strike rate of a trade. `offered`: the pairs that are offered for it. */
export function strikeRateFor(
  choice: StrikeChoice,
  side: TradeSide,
  offered: readonly StrikeRate[] = STRIKE_RATES,
): StrikeRate {
  if (choice !== 'best') return choice
  return offered.reduce((best, rate) => (percentOf(rate, side) > percentOf(best, side) ? rate : best))
}

/** Why a back-test doesn't trade a signal; the first that applies. */
export const BACKTEST_SKIPS = [
  'side',
  'schedule',
  'stop',
  'profit',
  'pause',
  'open',
  'limit',
  'balance',
  'odds',
] as const
export type BacktestSkip = (typeof BACKTEST_SKIPS)[number]
/** What can end a back-test early. */
export const BACKTEST_STOPS = ['loss_in_all', 'losses_in_row', 'profit_in_all'] as const
export type BacktestStop = (typeof BACKTEST_STOPS)[number]

export const TRADING_TYPES = ['Cryptocurrency', 'Currencies'] as const
export type TradingType = (typeof TRADING_TYPES)[number]

/** Presets of an order that an account can keep. */
export const PRESETS_MAX = 6
/** Maximum number of markets with a star, and of those opened last. */
export const FAVOURITES_MAX = 100
export const RECENTS_MAX = 8

/** Candle intervals of whole minutes, in milliseconds: indicators of alerts are judged on these. */
export const ALERT_INTERVALS = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
} as const
/** All candle intervals, in milliseconds. */
export const CANDLE_INTERVALS = { '1s': 1_000, '5s': 5_000, ...ALERT_INTERVALS } as const
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
/** A trader's plan; `''` for none. */
export type TradingPlan = PlanValue | ''

/** Coins for deposits and withdrawals. */
export const COINS = ['BTC', 'ETH'] as const
export type Coin = (typeof COINS)[number]
/** How the deposit addresses of test installations begin; no wallet accepts them. */
export const TEST_ADDRESS = 'TEST-'
/** How long a rate counts that was fixed for a payment. */
export const RATE_MINUTES = 15
/** How many requests of deposits a trader may have open. */
export const DEPOSIT_REQUESTS_OPEN = 3
export const DEPOSIT_STATUSES = ['Pending', 'Approved', 'Rejected'] as const
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number]
export const WITHDRAWAL_STATUSES = ['Pending', 'Processing', 'Paid', 'Rejected', 'Cancelled'] as const
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number]
export const BANK_ACCOUNT_TYPES = ['Checking', 'Savings'] as const
/** Maximum size of an uploaded payment proof, in bytes. */
export const PAYMENT_PROOF_MAX_BYTES = 5_242_880
/** Business days to pay a withdrawal or review a submitted deposit. */
export const WITHDRAWAL_BUSINESS_DAYS = 5

/** How long a guest's account of the demo lasts, unless it's kept. */
export const GUEST_DAYS = 21
export const DEPOSIT_BUSINESS_DAYS = 1

export const VERIFICATION_STATUSES = ['Pending', 'Approved', 'Rejected'] as const
export const PLAN_REQUEST_STATUSES = ['Pending', 'Approved', 'Rejected', 'Cancelled'] as const
export type PlanRequestStatus = (typeof PLAN_REQUEST_STATUSES)[number]

/** Roles at the desk; an operator may have several. */
/** What an emergency lever stops or shows. */
export const LEVERS = ['real-trading', 'symbol', 'withdrawals', 'maintenance'] as const
export type LeverKind = (typeof LEVERS)[number]

export const OPERATOR_ROLES = ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** Why an exchange's newest quote is or isn't in the median. */
export const STANDINGS = [
  'kept',
  'outlier',
  'no_quote',
  'thin',
  'wide',
  'silent',
  'old_trade',
  'late',
  'quarantined',
  'out',
] as const
type Standing = (typeof STANDINGS)[number]
/** The same for people: whether it counts, and why not. */
export const STANDING_WORDS: Record<Standing, string> = {
  kept: 'In the median',
  outlier: 'Too far off',
  no_quote: 'No price yet',
  thin: 'Not deep enough',
  wide: 'Spread too wide',
  silent: 'Silent',
  old_trade: 'Last trade too old',
  late: 'Too late',
  quarantined: 'Locked out',
  out: 'Taken out',
}

/** What a trader can complain about, and why. */
export const COMPLAINT_ITEMS = ['trade', 'deposit', 'withdrawal'] as const
export type ComplaintItem = (typeof COMPLAINT_ITEMS)[number]
export const COMPLAINT_REASONS = ['price', 'time', 'result', 'missing', 'amount', 'other'] as const
export type ComplaintReason = (typeof COMPLAINT_REASONS)[number]
export const REASONS_OF = {
  trade: ['price', 'time', 'result', 'other'],
  deposit: ['missing', 'amount', 'other'],
  withdrawal: ['missing', 'amount', 'other'],
} as const satisfies Record<ComplaintItem, readonly ComplaintReason[]>
export const REASON_WORDS: Record<ComplaintReason, string> = {
  price: 'A price is wrong',
  time: 'A time is wrong',
  result: 'The result is wrong',
  missing: "The money hasn't arrived",
  amount: 'The amount is wrong',
  other: 'Something else',
}
/** Proposed: one operator has proposed a ruling, and a second one decides. */
export const COMPLAINT_STATUSES = ['Open', 'Proposed', 'Rejected', 'Upheld'] as const
export type ComplaintStatus = (typeof COMPLAINT_STATUSES)[number]
/** The price of a trade that a ruling can find wrong. */
export const COMPLAINT_TICKS = ['entry', 'exit'] as const
export type ComplaintTick = (typeof COMPLAINT_TICKS)[number]
export const COMPLAINT_FINDINGS = [
  'records_agree',
  'within_rules',
  'already_settled',
  'wrong_price',
  'late_price',
  'our_mistake',
  'too_slow',
] as const
export type ComplaintFinding = (typeof COMPLAINT_FINDINGS)[number]
/** What rulings can say. The words are public, so operators choose them and write none. */
export const FINDINGS: Record<ComplaintFinding, { upheld: boolean; says: string; items: readonly ComplaintItem[] }> = {
  records_agree: { upheld: false, says: 'The records were checked again and agree.', items: COMPLAINT_ITEMS },
  within_rules: { upheld: false, says: 'What happened is what the rules say.', items: COMPLAINT_ITEMS },
  already_settled: { upheld: true, says: 'It had already been put right.', items: COMPLAINT_ITEMS },
  wrong_price: { upheld: true, says: 'A published price was wrong.', items: ['trade'] },
  late_price: { upheld: true, says: 'A price was published too late.', items: ['trade'] },
  our_mistake: { upheld: true, says: 'We made a mistake.', items: COMPLAINT_ITEMS },
  too_slow: { upheld: true, says: 'We took too long.', items: ['deposit', 'withdrawal'] },
}
