import * as z from 'zod/mini'
import { ID_METHODS } from '../account/auth.ts'
import { type Endpoint, listOf, messageReply, replyOf } from '../endpoint.ts'
import {
  cursor,
  isoTime,
  LENGTH,
  limit,
  MESSAGE,
  oneOf,
  personName,
  text,
  usdAmount,
  usdNumber,
  usdText,
  walletAddress,
} from '../fields.ts'
import { publicId } from '../ids.ts'
import { SOURCES } from '../prices/prices.ts'
import {
  BANK_ACCOUNT_TYPES,
  COINS,
  DEPOSIT_STATUSES,
  PAYMENT_PROOF_MAX_BYTES,
  VERIFICATION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../terms.ts'

export type {
  Coin,
  DepositStatus,
  WithdrawalStatus,
} from '../terms.ts'

/** A coin, in upper or lower case. */
const coin = z.pipe(
  z
    .string({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be text') })
    .check(z.trim(), z.toUpperCase()),
  oneOf(COINS),
)

/** A bank account or routing number: at least four ASCII letters or digits, optionally grouped. */
export const bankNumber = text(LENGTH.bank).check(
  z.refine(
    (value) => /^[0-9A-Za-z]+([ -][0-9A-Za-z]+)*$/.test(value) && value.replaceAll(/[ -]/g, '').length >= 4,
    MESSAGE.invalid,
  ),
)

/** What arrived for a deposit of coins, and what it was worth. */
export const DepositArrival = z.strictObject({
  transaction_id: z.string(),
  coin_amount: z.number(),
  time: isoTime,
  /** US dollars per coin: the rate of the request if the coins arrived in time, otherwise the tape's rate at that time. */
  rate: z.string(),
  amount: usdNumber,
})

export const Deposit = z.strictObject({
  deposit_id: z.string(),
  method: z.enum(['crypto', 'card']),
  currency: z.nullable(z.enum(COINS)),
  /** US dollars: the submitted amount, and once approved the credited amount. */
  amount: usdNumber,
  /** The amount that was submitted. */
  usd_amount: usdNumber,
  /** Coins for the submitted amount at the rate below; null for a card. */
  coin_amount: z.nullable(z.number()),
  /** US dollars per coin at submission, decimal text; null for a card. */
  rate: z.nullable(z.string()),
  /** Source of the rate; null for a card, and for deposits from before the source was recorded. */
  rate_source: z.nullable(z.enum(SOURCES)),
  /** Where to send the coins; null for a card. */
  address: z.nullable(z.string()),
  /**
   * Until when coins count at the rate above; later ones count at the tape's rate when they arrive. Absent for a card, and
   * for deposits from before rates had an end.
   */
  rate_until: z.optional(isoTime),
  /** When the trader was asked to send them. */
  requested_at: z.optional(isoTime),
  /** Absent until an operator has found it on the blockchain. */
  arrival: z.optional(DepositArrival),
  status: z.enum(DEPOSIT_STATUSES),
  /** Why it was rejected. */
  reason: z.optional(z.string()),
  /** API path of the payment proof; requires the Bearer token. Absent for a card. */
  receipt_url: z.optional(z.string()),
  /** Who has it now, as text, since when, and the deadline. */
  held_by: z.string(),
  since: isoTime,
  due_by: z.optional(isoTime),
  /** US dollars reversed after a refund or dispute. */
  reversed: z.optional(usdNumber),
  createdAt: isoTime,
})
export type Deposit = z.infer<typeof Deposit>

/** What a trader is asked to send for a deposit that isn't submitted yet. */
export const DepositRequest = z.strictObject({
  /** Also the id of the deposit that it becomes. */
  request_id: z.string(),
  currency: z.enum(COINS),
  usd_amount: usdNumber,
  /** The coins to send, at this many US dollars per coin, decimal text. */
  coin_amount: z.number(),
  rate: z.string(),
  rate_source: z.nullable(z.enum(SOURCES)),
  /** Until when coins that arrive count at this rate. */
  rate_until: isoTime,
  /** Null while the trader may not deposit. */
  address: z.nullable(z.string()),
  /** A fake address of a test installation: never send coins to it. */
  test: z.optional(z.boolean()),
  /** When it's deleted unless its receipt has been submitted. */
  expires_at: isoTime,
  createdAt: isoTime,
})
export type DepositRequest = z.infer<typeof DepositRequest>

export const Withdrawal = z.strictObject({
  withdraw_id: z.string(),
  method: z.enum(['crypto', 'bank']),
  currency: z.nullable(z.enum(COINS)),
  /** The address, or 'Bank, account ending 1234'. */
  wallet: z.string(),
  amount: usdNumber,
  status: z.enum(WITHDRAWAL_STATUSES),
  /** Why it was rejected. */
  reason: z.optional(z.string()),
  /** The payment's reference at the bank, or the id of its transaction on the blockchain. */
  reference: z.optional(z.string()),
  /** US dollars that the trader pays for the payment of coins: none are charged. Absent for a bank. */
  fee: z.optional(usdNumber),
  /** The coins that are sent, at this many US dollars per coin (decimal text); once they are fixed for the payment. */
  coin_amount: z.optional(z.number()),
  rate: z.optional(z.string()),
  /** The source time of the rate, and where it came from. */
  rate_time: z.optional(isoTime),
  rate_source: z.optional(z.nullable(z.enum(SOURCES))),
  /** When operators had approved it. */
  approved_at: z.optional(isoTime),
  /** Who has it now, as text, since when, and the deadline. */
  held_by: z.string(),
  since: isoTime,
  due_by: z.optional(isoTime),
  createdAt: isoTime,
})
export type Withdrawal = z.infer<typeof Withdrawal>

/** What a withdrawal requires, and which of that the trader meets. */
export const WithdrawalRequirements = z.strictObject({
  possible: z.boolean(),
  email_verified: z.boolean(),
  /** Null before an ID is submitted. */
  identity: z.nullable(z.enum(VERIFICATION_STATUSES)),
  identity_method: z.nullable(z.enum(ID_METHODS)),
  /** Whether this installation requires an approved identity. */
  identity_required: z.boolean(),
  locked: z.boolean(),
  /**
   * Why this trader's withdrawals are paused; null while they aren't. Until null: until they sign in with a password that
   * they set by an e-mailed link.
   */
  pause: z.nullable(z.strictObject({ cause: z.enum(['email_changed', 'disowned']), until: z.nullable(isoTime) })),
  /** US dollars owed after a reversed deposit; no withdrawals while it's above 0. */
  owed: usdNumber,
  /** Methods of credited deposits: a withdrawal uses the same method. */
  came_by: z.array(z.enum(['card', ...COINS])),
  /** Above this many US dollars, two operators must approve. */
  two_person_amount: usdNumber,
  business_days: z.number(),
  /** Since when payouts are halted while the books are checked; requests are still accepted. Null while they run. */
  paused_since: z.nullable(isoTime),
})
export type WithdrawalRequirements = z.infer<typeof WithdrawalRequirements>

/** What a withdrawal would be, before it's requested. Nothing is stored or held. */
export const WithdrawalPreview = z.strictObject({
  amount: usdNumber,
  /** Null for a bank. */
  currency: z.nullable(z.enum(COINS)),
  /** The address, or 'Bank, account ending 1234'. */
  wallet: z.string(),
  /** Whether no withdrawal of the trader was ever paid there. */
  first_time: z.boolean(),
  /** Its name in the trader's address book; null if it isn't there. */
  saved_as: z.nullable(z.string()),
  /** Coins for the amount at the rate below, which is the tape's now: the rate is fixed at the payment. Null without one. */
  coin_amount: z.nullable(z.number()),
  /** US dollars per coin, decimal text. */
  rate: z.nullable(z.string()),
  rate_source: z.nullable(z.enum(SOURCES)),
  /** US dollars that the trader pays for the payment. */
  fee: usdNumber,
  balance_after: usdNumber,
  due_by: isoTime,
  /** Whether its amount needs two operators. */
  two_people: z.boolean(),
  /** Whether the request asks for the second factor. */
  second_factor: z.boolean(),
})
export type WithdrawalPreview = z.infer<typeof WithdrawalPreview>

const DepositForm = z.strictObject({
  usd_amount: usdText(),
  currency: z.optional(coin),
})
const DepositRequestBody = z.strictObject({ usd_amount: usdAmount(), currency: z.optional(coin) })
const CardBody = z.strictObject({ amount: usdAmount() })
const WithdrawalBody = z.strictObject({ amount: usdAmount(), wallet: walletAddress })
const BankWithdrawalBody = z.strictObject({
  bank_name: personName(LENGTH.bank),
  type: oneOf(BANK_ACCOUNT_TYPES),
  account_number: bankNumber,
  routing_number: bankNumber,
  amount: usdAmount(),
})

/** Why a withdrawal is refused. */
const WITHDRAWAL_PROBLEMS = [
  'insufficient_balance',
  'debt_outstanding',
  'email_not_confirmed',
  'identity_required',
  'account_locked',
  'withdrawals_paused',
] as const
const PREVIEWS = {
  max: 120,
  per: 'hour',
  message: (wait: string) => `You've reviewed too many withdrawals. Try again in ${wait}.`,
} as const

export const cashierMessages = {
  deposited: "Your deposit was submitted. We'll credit it once we've checked the payment.",
  requestCancelled: 'Your deposit request was cancelled.',
  withdrawn: "Your withdrawal was requested. The amount is on hold until it's paid.",
  cancelled: 'Your withdrawal was cancelled. The money is back in your balance.',
  notCovered: 'Insufficient balance',
} as const

export const cashierCalls = {
  'GET /deposit/wallet-address': {
    summary: 'Returns the deposit address for a currency.',
    access: 'user',
    query: z.strictObject({ currency: z.optional(coin) }),
    reply: z.strictObject({
      status: z.literal(true),
      data: z.string(),
      /** A fake address of a test installation: never send coins to it. */
      test: z.optional(z.boolean()),
    }),
    problems: ['not_configured', 'account_locked', 'validation_failed'],
  },
  'GET /deposit/methods': {
    summary: 'Lists the available deposit methods.',
    access: 'user',
    reply: replyOf(z.strictObject({ card: z.boolean(), BTC: z.boolean(), ETH: z.boolean() })),
    problems: [],
  },
  'GET /deposit/convert': {
    summary: "Converts US dollars to coins at the tape's price, to at most 8 decimal places.",
    access: 'user',
    query: z.strictObject({ currency: z.optional(coin), amount: usdText() }),
    reply: z.strictObject({
      status: z.literal(true),
      data: z.number(),
      /** US dollars per coin, decimal text, and the source time of that price. */
      rate: z.string(),
      time: isoTime,
    }),
    problems: ['price_unavailable'],
  },
  'POST /deposit': {
    summary: 'Submits a crypto deposit with its payment proof. An operator credits the amount that arrived.',
    access: 'user',
    idempotent: true,
    form: DepositForm,
    files: { receipt: { maxBytes: PAYMENT_PROOF_MAX_BYTES, required: true, whenMissing: MESSAGE.selectFile } },
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: Deposit }),
    problems: [
      'email_not_confirmed',
      'account_locked',
      'price_unavailable',
      'not_configured',
      'idempotency_mismatch',
      'too_large',
      'unsupported_media_type',
    ],
  },
  'GET /deposit/requests': {
    summary: 'Lists deposit requests that are not submitted yet, newest first: at most three, each for 24 hours.',
    access: 'user',
    reply: z.strictObject({
      status: z.literal(true),
      data: z.array(DepositRequest),
      /** How many submitted deposits aren't decided yet. */
      pending: z.number(),
    }),
    problems: [],
  },
  'POST /deposit/requests': {
    summary:
      'Stores what to send for a deposit, where, and the rate, which counts for 15 minutes. While it counts, the same amount returns the same request.',
    access: 'user',
    limit: { max: 60, per: 'hour', message: (wait) => `You've requested too many deposits. Try again in ${wait}.` },
    body: DepositRequestBody,
    reply: replyOf(DepositRequest),
    problems: [
      'email_not_confirmed',
      'account_locked',
      'price_unavailable',
      'not_configured',
      'limit_reached',
      'validation_failed',
    ],
  },
  'POST /deposit/requests/:request_id/submit': {
    summary: 'Submits a deposit request with its payment proof. It becomes a deposit with the same id.',
    access: 'user',
    idempotent: true,
    params: z.strictObject({ request_id: publicId }),
    form: z.strictObject({}),
    files: { receipt: { maxBytes: PAYMENT_PROOF_MAX_BYTES, required: true, whenMissing: MESSAGE.selectFile } },
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: Deposit }),
    problems: [
      'not_found',
      'email_not_confirmed',
      'account_locked',
      'limit_reached',
      'idempotency_mismatch',
      'too_large',
      'unsupported_media_type',
    ],
  },
  'POST /deposit/requests/:request_id/cancel': {
    summary: 'Cancels a deposit request that is not submitted yet.',
    access: 'user',
    params: z.strictObject({ request_id: publicId }),
    reply: messageReply,
    problems: ['not_found'],
  },
  'POST /deposit/card': {
    summary: "Starts a card payment and returns the provider's payment page.",
    access: 'user',
    idempotent: true,
    body: CardBody,
    reply: replyOf(z.strictObject({ deposit_id: z.string(), url: z.string() })),
    problems: ['not_configured', 'email_not_confirmed', 'account_locked', 'idempotency_mismatch', 'wrong_state'],
  },
  'POST /deposit/card/webhook': {
    summary: "Receives the card provider's webhooks, authenticated by their signature.",
    access: 'visitor',
    raw: true,
    reply: messageReply,
    problems: ['not_configured', 'malformed'],
  },
  'GET /deposit': {
    summary: 'Lists deposits, newest first.',
    access: 'user',
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(Deposit),
    problems: [],
  },
  'GET /deposit/:deposit_id': {
    summary: 'Returns one deposit.',
    access: 'user',
    mayLag: true,
    params: z.strictObject({ deposit_id: publicId }),
    reply: replyOf(Deposit),
    problems: ['not_found'],
  },
  'GET /deposit/:deposit_id/receipt': {
    summary: "Returns the image of one of the user's payment proofs.",
    access: 'user',
    params: z.strictObject({ deposit_id: publicId }),
    reply: 'text',
    problems: ['not_found'],
  },
  'GET /withdraw/requirements': {
    summary: 'Lists the requirements of a withdrawal and which of them are met.',
    access: 'user',
    reply: replyOf(WithdrawalRequirements),
    problems: [],
  },
  'POST /withdraw': {
    summary: 'Requests a withdrawal to a wallet. The amount is held immediately.',
    access: 'user',
    idempotent: true,
    limit: { max: 30, per: 'hour' },
    body: WithdrawalBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: Withdrawal }),
    problems: [...WITHDRAWAL_PROBLEMS, 'step_up_required', 'idempotency_mismatch'],
  },
  'POST /withdraw/bank': {
    summary: 'Requests a withdrawal to a bank account. The amount is held immediately.',
    access: 'user',
    idempotent: true,
    limit: { max: 30, per: 'hour' },
    body: BankWithdrawalBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: Withdrawal }),
    problems: [...WITHDRAWAL_PROBLEMS, 'step_up_required', 'idempotency_mismatch'],
  },
  'POST /withdraw/preview': {
    summary: 'Returns what a withdrawal to a wallet would be, or why it would be refused. Nothing is stored or held.',
    access: 'user',
    limit: PREVIEWS,
    body: WithdrawalBody,
    reply: replyOf(WithdrawalPreview),
    problems: WITHDRAWAL_PROBLEMS,
  },
  'POST /withdraw/bank/preview': {
    summary:
      'Returns what a withdrawal to a bank account would be, or why it would be refused. Nothing is stored or held.',
    access: 'user',
    limit: PREVIEWS,
    body: BankWithdrawalBody,
    reply: replyOf(WithdrawalPreview),
    problems: WITHDRAWAL_PROBLEMS,
  },
  'GET /withdraw': {
    summary: 'Lists withdrawals, newest first.',
    access: 'user',
    mayLag: true,
    query: z.strictObject({ limit, cursor }),
    reply: listOf(Withdrawal),
    problems: [],
  },
  'GET /withdraw/:withdraw_id': {
    summary: 'Returns one withdrawal.',
    access: 'user',
    mayLag: true,
    params: z.strictObject({ withdraw_id: publicId }),
    reply: replyOf(Withdrawal),
    problems: ['not_found'],
  },
  'POST /withdraw/:withdraw_id/cancel': {
    summary: 'Cancels a pending withdrawal and returns the money to the balance.',
    access: 'user',
    idempotent: true,
    limit: { max: 30, per: 'hour' },
    params: z.strictObject({ withdraw_id: publicId }),
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: Withdrawal }),
    problems: ['not_found', 'wrong_state', 'idempotency_mismatch'],
  },
} as const satisfies Record<string, Endpoint>
