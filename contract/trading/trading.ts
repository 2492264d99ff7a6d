import * as z from 'zod/mini'
import { timeZone } from '../account/time-zone.ts'
import { type Endpoint, historyOf, replyOf } from '../endpoint.ts'
import {
  cursor,
  isoTime,
  isVisible,
  limit,
  MESSAGE,
  oneOf,
  shownStrikeRate,
  strikeRate,
  text,
  unixMs,
  usdAmount,
  usdNumber,
  wholeText,
} from '../fields.ts'
import { publicId } from '../ids.ts'
import {
  DURATIONS,
  MODES,
  TAG_LENGTH,
  TAGS_PER_TRADE,
  TRADE_NOTE_LENGTH,
  TRADE_ORIGINS,
  TRADE_SIDES,
  TRADE_STATUSES,
  TRADING_TYPES,
} from '../terms.ts'

export {
  DURATIONS,
  MODES,
  type Mode,
  percentOf,
  type StrikeRate,
  TRADE_SIDES,
  type TradeSide,
  type TradeStatus,
} from '../terms.ts'

const DURATION_ERROR = `must be one of ${DURATIONS.join(', ')}`

const pressedAt = z.optional(
  z.int({ error: 'must be a time in whole milliseconds' }).check(z.minimum(0, 'must be a time in whole milliseconds')),
)

export const SubmitTradeBody = z.strictObject({
  symbol: text(20),
  trading_type: oneOf(TRADING_TYPES),
  trade_mode: oneOf(TRADE_SIDES),
  amount: usdAmount(),
  duration: z
    .number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') })
    .check(z.refine((value) => (DURATIONS as readonly number[]).includes(value), DURATION_ERROR)),
  strike_rate: strikeRate(),
  mode: oneOf(MODES),
  /**
   * When the trader pressed the button: tape time, Unix ms, the same whenever the order is sent again. An order that is
   * older than 2 s is not placed. Without it, or if it's later, the arrival of the request counts.
   */
  pressed_at: pressedAt,
})
export type SubmitTradeBody = z.input<typeof SubmitTradeBody>

export const SellTradeBody = z.strictObject({
  /** The least that the trader takes: if the trade is worth less at the next price, it isn't sold. */
  minimum: usdAmount(0.01),
  /** When the trader pressed the button: tape time, Unix ms. An order that is older than 2 s is not accepted. */
  pressed_at: pressedAt,
})
export type SellTradeBody = z.input<typeof SellTradeBody>

const tag = text(TAG_LENGTH).check(z.refine(isVisible, { error: MESSAGE.invalid, abort: true }))

/** What a trader writes about a trade. Nobody else sees it. Without text and tags it's removed. */
export const TradeNote = z.strictObject({
  note: z
    .string({ error: 'must be text' })
    .check(
      z.trim(),
      z.maxLength(TRADE_NOTE_LENGTH, { error: `must be at most ${TRADE_NOTE_LENGTH} characters long`, abort: true }),
    ),
  tags: z.array(tag, { error: 'must be a list' }).check(
    z.maxLength(TAGS_PER_TRADE, { error: `must have at most ${TAGS_PER_TRADE} entries`, abort: true }),
    z.refine((tags) => new Set(tags).size === tags.length, 'must not repeat an entry'),
  ),
})
export type TradeNote = z.infer<typeof TradeNote>

/** An order to sell a trade before its end. */
const TradeSale = z.strictObject({
  /** When it was accepted. */
  at: isoTime,
  /** The least that the trader takes, US dollars. */
  minimum: usdNumber,
  /** Absent until the next price has decided it. */
  outcome: z.optional(z.enum(['sold', 'unsold'])),
  /** Why it wasn't sold, as text for the trader. */
  reason: z.optional(z.string()),
  /** The fee that the payout is less by, US dollars. */
  fee: z.optional(usdNumber),
})

/** An accepted order to sell a trade. */
export const SaleOrdered = z.strictObject({ trade_id: z.string(), minimum: usdNumber, at: isoTime })
export type SaleOrdered = z.infer<typeof SaleOrdered>

export const Trade = z.strictObject({
  trade_id: z.string(),
  symbol: z.string(),
  trading_type: z.enum(TRADING_TYPES),
  trade_mode: z.enum(TRADE_SIDES),
  mode: z.enum(MODES),
  /** The stake, US dollars. */
  amount: usdNumber,
  strike_rate: shownStrikeRate,
  percent: z.number(),
  /** The version of the price lists that offered it; absent for trades from before. */
  price_list: z.optional(z.number()),
  /** Seconds. */
  duration: z.number(),
  status: z.enum(TRADE_STATUSES),
  trade_time: isoTime,
  end_time: isoTime,
  /** Entry tick: price and source time. Absent until the tape has one. */
  start_price: z.optional(z.number()),
  start_time: z.optional(isoTime),
  /** Exit tick, or that of the sale: price and source time. Absent while Pending, and on a Void without one. */
  end_price: z.optional(z.number()),
  exit_time: z.optional(isoTime),
  settled_at: z.optional(isoTime),
  /** Paid to the balance: Won stake + profit, Draw and Void the stake, Lost 0, Sold its price. Absent while Pending. */
  payout: z.optional(usdNumber),
  outcome_reason: z.optional(z.string()),
  rule_version: z.string(),
  /** The version of the formula by which it can be sold before its end; absent if it can't. */
  sale_rule: z.optional(z.string()),
  /** The newest order to sell it. */
  sale: z.optional(TradeSale),
  /** The number of the signal that an automatic trade followed; absent for a trade placed by hand. */
  signal: z.optional(z.string()),
  /** The waiting order that was triggered and placed it. */
  waiting_order: z.optional(z.string()),
  /** What the trader wrote about it, in lists and in the reply of one trade. */
  note: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
})
export type Trade = z.infer<typeof Trade>

/** A trade in the answer to its order, and when it's read alone. */
export const AcceptedTrade = z.strictObject({
  ...Trade.shape,
  /**
   * The hash of the order, which the tape holds about a second later. Keep it: the receipt must have the same. Absent for a
   * trade from before orders were bound.
   */
  order_hash: z.optional(z.string()),
})
export type AcceptedTrade = z.infer<typeof AcceptedTrade>

export const Profit = z.strictObject({
  profit_id: z.string(),
  trade_id: z.string(),
  symbol: z.string(),
  /** Stake, profit, and their sum, US dollars. */
  amount: usdNumber,
  profit: usdNumber,
  earnings: usdNumber,
  createdAt: isoTime,
})
export type Profit = z.infer<typeof Profit>

/** Limits for the next stake, US dollars. */
export const StakeLimits = z.strictObject({
  /** The largest stake of a trade. */
  stake_max: usdNumber,
  /** It is that small because two exchanges make the symbol's price, or their bid and ask are far apart. */
  thin_market: z.optional(z.literal(true)),
  /** Why no stake is accepted on the symbol, as text for the trader. */
  refused: z.optional(z.string()),
  /** The largest total of this account's open stakes, and the current total. */
  open_stake_max: usdNumber,
  open_stake: usdNumber,
  /** How much all traders together may still stake on this symbol in real mode; null without a limit. */
  symbol_room: z.nullable(usdNumber),
})
export type StakeLimits = z.infer<typeof StakeLimits>

/** Which of the trader's trades. */
const tradeFilter = {
  mode: oneOf(MODES),
  status: z.optional(oneOf(TRADE_STATUSES)),
  symbol: z.optional(text(20)),
  trade_mode: z.optional(oneOf(TRADE_SIDES)),
  /** Placed from `from` until before `until`, Unix ms. */
  from: z.optional(unixMs),
  until: z.optional(unixMs),
  /** Ended from `ended_from` until before `ended_until`, Unix ms. */
  ended_from: z.optional(unixMs),
  ended_until: z.optional(unixMs),
  /** The profit of a win in percent of the stake. */
  percent: z.optional(wholeText(1, 100)),
  /** Seconds. */
  duration: z.optional(wholeText(1, 86_400)),
  origin: z.optional(oneOf(TRADE_ORIGINS)),
  tag: z.optional(tag),
  /** Ended in this hour of the day, or on this day of the week (0 is Monday), in the time zone. */
  hour: z.optional(wholeText(0, 23)),
  weekday: z.optional(wholeText(0, 6)),
  /** UTC unless given. */
  zone: z.optional(timeZone),
}

/** The figures of many trades, US dollars. */
export const TradeResults = z.strictObject({
  open: z.number(),
  won: z.number(),
  lost: z.number(),
  /** Stake returned: equal prices, or no price in time. */
  draw: z.number(),
  void: z.number(),
  /** Sold before their end: neither won nor lost. */
  sold: z.number(),
  /** The stakes of the settled trades, what they and later rulings paid to the trader, and the difference. */
  staked: usdNumber,
  paid: usdNumber,
  net: usdNumber,
  /** The share of winning trades, in percent, at which those that were won or lost would have come out even. */
  break_even: z.optional(z.number()),
  /** The net result over time: at most 200 ends of trades (Unix ms), each with the sum up to then. */
  curve: z.array(z.tuple([z.number(), usdNumber])),
  /** Only the newest 10,000 trades count: those placed from this time on. */
  since: z.optional(isoTime),
  /** Trades that ended before this UTC day may be archived: the figures lack them. */
  archived_before: z.optional(z.iso.date()),
})
export type TradeResults = z.infer<typeof TradeResults>

/** The settled trades of a group. Money is US dollars. */
const groupFields = {
  trades: z.number(),
  won: z.number(),
  lost: z.number(),
  draw: z.number(),
  void: z.number(),
  sold: z.number(),
  staked: usdNumber,
  /** What they paid, and what rulings returned later, less the stakes. */
  net: usdNumber,
  /**
   * The share of winning trades, in percent, at which those that were won or lost would have come out even: 100 / (100 +
   * profit of a win in percent of the stake), the profits weighted by their stakes.
   */
  break_even: z.optional(z.number()),
  /** How the decided trades are spread over the hours in which they were placed (measured.ts): closes, won², won × lost, lost². */
  spread: z.tuple([z.number(), z.number(), z.number(), z.number()]),
}

/** A group of a breakdown, by its symbol, side, percent, seconds, hour, day of the week (0 is Monday), origin or tag. */
const Group = z.strictObject({ key: z.string(), ...groupFields })
export type StatisticsGroup = z.infer<typeof Group>

/** Consecutive decided trades that went the same way; draws and voids don't end a run. */
const Run = z.strictObject({ trades: z.number(), from: isoTime, to: isoTime })

/** A trader's figures. Trades count in the day and hour in which they ended. */
export const TradeStatistics = z.strictObject({
  ...groupFields,
  /** Per won and per lost trade, and per trade. Absent without one. */
  average_win: z.optional(usdNumber),
  average_loss: z.optional(usdNumber),
  average_stake: z.optional(usdNumber),
  /** Lost trades whose stake a ruling returned later. The money counts; they stay lost. */
  returned: z.number(),
  /** The net result over time: at most 200 ends of trades (Unix ms), each with the sum up to then. */
  curve: z.array(z.tuple([z.number(), usdNumber])),
  /** The largest fall of the net result from its highest point so far, which is its start if it was never above. */
  fall: z.optional(z.strictObject({ amount: usdNumber, from: isoTime, to: isoTime })),
  losing_run: z.optional(Run),
  winning_run: z.optional(Run),
  /** Days with a settled trade: the day, its trades and net result. */
  days: z.array(z.tuple([z.string(), z.number(), usdNumber])),
  by: z.strictObject({
    symbol: z.array(Group),
    side: z.array(Group),
    odds: z.array(Group),
    /** By side and odds together: `Buy 75`. */
    offer: z.array(Group),
    duration: z.array(Group),
    hour: z.array(Group),
    weekday: z.array(Group),
    origin: z.array(Group),
    /** A trade counts for each of its tags. */
    tag: z.array(Group),
  }),
  /** Only the newest 25,000 trades count: those placed from this time on. */
  since: z.optional(isoTime),
  /** Trades that ended before this UTC day and are archived: the figures lack them. */
  archived: z.optional(z.strictObject({ before: z.string(), trades: z.number(), net: usdNumber })),
})
export type TradeStatistics = z.infer<typeof TradeStatistics>

/** A file of trades: all about each for a spreadsheet, or gains and losses in the columns of Koinly, a tax tool. */
const TRADES_FORMS = ['spreadsheet', 'tax'] as const
export type TradesForm = (typeof TRADES_FORMS)[number]

export const tradingCalls = {
  'POST /trading/submit': {
    summary: 'Places a trade. The price, the percent and all times come from the server.',
    access: 'user',
    guests: true,
    idempotent: true,
    limit: { max: 30, per: 'second', message: 'That was too fast. Wait a second.' },
    body: SubmitTradeBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: AcceptedTrade }),
    problems: [
      'insufficient_balance',
      'price_unavailable',
      'odds_unavailable',
      'limit_reached',
      'order_expired',
      'account_locked',
      'idempotency_mismatch',
      'unavailable',
    ],
  },
  'GET /trading': {
    summary: 'Lists the trades of one mode, newest first.',
    access: 'user',
    guests: true,
    mayLag: true,
    query: z.strictObject({ ...tradeFilter, limit, cursor }),
    reply: historyOf(Trade),
    problems: [],
  },
  'GET /trading/results': {
    summary: 'Returns the totals of trades and their net result over time, from at most 10,000 trades.',
    access: 'user',
    guests: true,
    mayLag: true,
    limit: { max: 60, per: 'minute' },
    query: z.strictObject(tradeFilter),
    reply: replyOf(TradeResults),
    problems: [],
  },
  'GET /trading/statistics': {
    summary:
      "Returns a trader's figures: totals, calendar, streaks, and results by symbol, side, odds and time, from at most 25,000 trades.",
    access: 'user',
    guests: true,
    mayLag: true,
    limit: { max: 20, per: 'minute' },
    query: z.strictObject({
      mode: oneOf(MODES),
      symbol: z.optional(text(20)),
      /** Seconds. */
      duration: z.optional(wholeText(1, 86_400)),
      /** Ended from `ended_from` until before `ended_until`, Unix ms. */
      ended_from: z.optional(unixMs),
      ended_until: z.optional(unixMs),
      /** The zone of days, hours and weekdays. */
      zone: timeZone,
    }),
    reply: replyOf(TradeStatistics),
    problems: [],
  },
  'GET /trading/file': {
    summary:
      'Returns trades as CSV, newest first, at most 10,000, for spreadsheets or in the columns of a tax tool. Times are UTC.',
    access: 'user',
    guests: true,
    mayLag: true,
    limit: { max: 10, per: 'minute', message: (wait) => `Too many downloads. Try again in ${wait}.` },
    query: z.strictObject({ ...tradeFilter, form: z.optional(oneOf(TRADES_FORMS)) }),
    reply: 'text',
    problems: [],
  },
  'GET /trading/tags': {
    summary: 'Lists the tags of one mode, in alphabetical order.',
    access: 'user',
    guests: true,
    query: z.strictObject({ mode: oneOf(MODES) }),
    reply: replyOf(z.array(z.string())),
    problems: [],
  },
  'PUT /trading/:trade_id/note': {
    summary: "Stores the trader's note and tags of a trade. Without text and tags they're removed.",
    access: 'user',
    guests: true,
    limit: { max: 60, per: 'minute' },
    params: z.strictObject({ trade_id: publicId }),
    body: TradeNote,
    reply: replyOf(z.strictObject({ note: z.string(), tags: z.array(z.string()) })),
    problems: ['not_found', 'limit_reached'],
  },
  'GET /trading/limits': {
    summary: 'Returns the limits of the next stake: per trade, open per account and open per symbol.',
    access: 'user',
    guests: true,
    query: z.strictObject({ mode: oneOf(MODES), symbol: text(20) }),
    reply: replyOf(StakeLimits),
    problems: [],
  },
  'GET /trading/:trade_id': {
    summary: 'Returns one trade.',
    access: 'user',
    guests: true,
    mayLag: true,
    params: z.strictObject({ trade_id: publicId }),
    reply: replyOf(AcceptedTrade),
    problems: ['not_found'],
  },
  'POST /trading/:trade_id/sell': {
    summary:
      'Orders to sell an open trade before its end. The first price after this decides: if the trade is then worth the minimum, it is sold.',
    access: 'user',
    guests: true,
    idempotent: true,
    params: z.strictObject({ trade_id: publicId }),
    body: SellTradeBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: SaleOrdered }),
    problems: [
      'not_found',
      'wrong_state',
      'price_unavailable',
      'order_expired',
      'limit_reached',
      'idempotency_mismatch',
      'unavailable',
    ],
  },
  'POST /trading/demo/reset': {
    summary: 'Resets the demo balance to 10,000.00. Open stakes stay and still settle.',
    access: 'user',
    guests: true,
    idempotent: true,
    limit: { max: 20, per: 'hour' },
    reply: z.strictObject({
      status: z.literal(true),
      message: z.string(),
      data: z.strictObject({ balance: usdNumber, demo_balance: usdNumber }),
    }),
    problems: [],
  },
  'GET /profit': {
    summary: 'Lists the profits of winning real trades, newest first.',
    access: 'user',
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: historyOf(Profit),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>

export const tradeMessages = {
  submitted: 'Trade placed',
  selling: 'Selling at the next price',
  reset: 'Your demo balance is back to $10,000.00',
} as const
