import * as z from 'zod/mini'
import { parseUsd } from '#kernel/money.ts'
import { ADDRESS_METHODS, ID_METHODS } from './auth.ts'
import { ChatMessage } from './chat.ts'
import { type Endpoint, listOf, messageReply, replyOf } from './endpoint.ts'
import {
  cursor,
  email,
  isoTime,
  LENGTH,
  limit,
  MESSAGE,
  newPassword,
  oneOf,
  optionalText,
  password,
  text,
  token,
  usdAmount,
  usdNumber,
} from './fields.ts'
import { VERIFICATION_STATUSES } from './kyc.ts'
import { PLAN_REQUEST_STATUSES } from './plans.ts'
import { SOURCES } from './prices.ts'
import {
  BANK_ACCOUNT_TYPES,
  COINS,
  DEPOSIT_STATUSES,
  MODES,
  OPERATOR_ROLES,
  TRADE_STATUSES,
  TRADING_TYPES,
  WITHDRAW_STATUSES,
} from './terms.ts'
import { Trade } from './trading.ts'

/** The queues whose items one operator at a time works on, as named in URLs. */
export const QUEUES = ['identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages', 'chats'] as const
export type Queue = (typeof QUEUES)[number]
export const MESSAGE_STATUSES = ['Open', 'Closed'] as const
export const CHECK_KINDS = ['identity', 'address'] as const
export const PROPOSAL_STATUSES = ['Pending', 'Approved', 'Rejected'] as const
export const LOCKS = ['trading', 'deposits', 'withdrawals', 'sign_in'] as const
export type LockKind = (typeof LOCKS)[number]
/** Minutes without an action after which a claim expires. */
export const CLAIM_MINUTES = 30

// ---- Requests ----

const reason = text(LENGTH.reason)
const Reason = z.strictObject({ reason })
const byId = z.strictObject({ id: text(20) })
const roles = z
  .array(oneOf(OPERATOR_ROLES), { error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a list') })
  .check(
    z.minLength(1, { error: MESSAGE.empty, abort: true }),
    z.refine((list) => new Set(list).size === list.length, 'must name each role once'),
  )
const flag = z.optional(z.boolean({ error: 'must be true or false' }))
/** Lists are available as a JSON page, or in full as a CSV file. */
const format = z.optional(oneOf(['json', 'csv']))
const list = { limit, cursor, format }
/** With `order=oldest` a queue starts at its oldest item; the default is newest first, as for every list. */
const queue = { ...list, order: z.optional(oneOf(['oldest'])) }
/** A signed, non-zero number of dollars with at most two decimals. */
const signedUsd = z
  .number({ error: (issue) => (issue.input === undefined ? MESSAGE.empty : 'must be a number') })
  .check(
    z.refine((value) => value !== 0 && parseUsd(Math.abs(value)) !== undefined, {
      error: 'must be an amount with at most two decimals, above or below 0',
    }),
  )
const address = z.optional(z.nullable(text(LENGTH.wallet)))

export const AdjustmentBody = z.strictObject({ book: oneOf(MODES), amount: signedUsd, reason })
export const LocksBody = z
  .strictObject({ trading: flag, deposits: flag, withdrawals: flag, sign_in: flag, reason })
  .check(
    z.refine((body) => LOCKS.some((lock) => body[lock] !== undefined), {
      path: ['trading'],
      error: 'Name at least one lock',
    }),
  )
export const SettingsBody = z.strictObject({
  stake_max: z.optional(usdAmount()),
  open_stake_max: z.optional(usdAmount()),
  /** The largest open stake of the real book on a symbol; null removes the limit. */
  symbol_limits: z.optional(
    z
      .array(z.strictObject({ symbol: text(20), open_max: z.nullable(usdAmount(0)) }), { error: 'must be a list' })
      .check(
        z.maxLength(100, 'must be at most 100'),
        z.refine((rows) => new Set(rows.map((row) => row.symbol)).size === rows.length, 'must name each symbol once'),
      ),
  ),
  deposit_two_person_amount: z.optional(usdAmount(0)),
  withdraw_two_person_amount: z.optional(usdAmount(0)),
  withdrawals_need_identity: flag,
  btc_address: address,
  eth_address: address,
  reason,
})
export type SettingsBody = z.infer<typeof SettingsBody>

// ---- Responses ----

/** An operator. */
const Person = z.strictObject({ operator_id: z.string(), email: z.string() })

/** Fields that items of every queue have. */
const item = {
  id: z.string(),
  /** Null when the item belongs to no account (a message from the public site). */
  user_id: z.nullable(z.string()),
  email: z.string(),
  name: z.string(),
  created_at: isoTime,
  /** Who works on it. Expires after 30 minutes without an action. */
  claimed_by: z.nullable(z.strictObject({ ...Person.shape, since: isoTime, mine: z.boolean() })),
  /** The operator's own item: another operator must handle it. */
  own: z.boolean(),
  /** Warnings, as text. */
  flags: z.array(z.string()),
}

export const DeskIdentityCheck = z.strictObject({
  ...item,
  /** A government ID or a proof of address. */
  kind: z.enum(CHECK_KINDS),
  method: z.enum([...ID_METHODS, ...ADDRESS_METHODS]),
  status: z.enum(VERIFICATION_STATUSES),
  /** Fields that the trader changed after an earlier approval, with their previous values. */
  changed_from: z.nullable(z.record(z.string(), z.string())),
  reason: z.optional(z.string()),
  decided_at: z.optional(isoTime),
  /** Whether a newer check replaced it. */
  superseded: z.boolean(),
  /** API path of the image; null once it was deleted. Each view is audited. */
  file_url: z.nullable(z.string()),
  /** What the ID is compared with. */
  date_of_birth: z.string(),
  address: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
})
export type DeskIdentityCheck = z.infer<typeof DeskIdentityCheck>

const Approval = z.strictObject({ ...Person.shape, amount: z.optional(usdNumber), at: isoTime })

export const DeskDeposit = z.strictObject({
  ...item,
  method: z.enum(['crypto', 'card']),
  currency: z.nullable(z.enum(COINS)),
  /** The submitted amount, US dollars. */
  usd_amount: usdNumber,
  coin_amount: z.nullable(z.number()),
  rate: z.nullable(z.string()),
  /** The credited amount, once it is credited. */
  amount: z.optional(usdNumber),
  status: z.enum(DEPOSIT_STATUSES),
  reason: z.optional(z.string()),
  receipt_url: z.nullable(z.string()),
  approvals: z.number(),
  /** For the submitted amount; the amount that the operator enters decides. */
  approvals_needed: z.number(),
  approved_by: z.array(Approval),
  due_by: z.optional(isoTime),
  reversed: z.optional(usdNumber),
})
export type DeskDeposit = z.infer<typeof DeskDeposit>

export const DeskWithdrawal = z.strictObject({
  ...item,
  method: z.enum(['crypto', 'bank']),
  currency: z.nullable(z.enum(COINS)),
  /** The address, or 'Bank, account ending 1234'. */
  wallet: z.string(),
  amount: usdNumber,
  status: z.enum(WITHDRAW_STATUSES),
  reason: z.optional(z.string()),
  reference: z.optional(z.string()),
  approvals: z.number(),
  approvals_needed: z.number(),
  approved_by: z.array(Approval),
  due_by: z.optional(isoTime),
})
export type DeskWithdrawal = z.infer<typeof DeskWithdrawal>

/** Where to send a bank payment. */
export const BankDetails = z.strictObject({
  bank_name: z.string(),
  type: z.enum(BANK_ACCOUNT_TYPES),
  account_number: z.string(),
  routing_number: z.string(),
})

export const DeskPlanRequest = z.strictObject({
  ...item,
  from_plan: z.string(),
  plan: z.string(),
  /** The plan's price difference and the trader's balance, US dollars. */
  price: usdNumber,
  balance: usdNumber,
  status: z.enum(PLAN_REQUEST_STATUSES),
  reason: z.optional(z.string()),
  decided_at: z.optional(isoTime),
})
export type DeskPlanRequest = z.infer<typeof DeskPlanRequest>

export const DeskMessage = z.strictObject({
  ...item,
  message: z.string(),
  status: z.enum(MESSAGE_STATUSES),
  replies: z.array(z.strictObject({ ...Person.shape, text: z.string(), at: isoTime })),
})
export type DeskMessage = z.infer<typeof DeskMessage>

export const DeskChat = z.strictObject({
  ...item,
  status: z.enum(MESSAGE_STATUSES),
  /** The latest message and its sender. */
  last: z.nullable(z.strictObject({ from: z.enum(['visitor', 'desk']), text: z.string(), at: isoTime })),
  /** Since when the visitor or trader has been waiting for an answer. */
  waits_since: z.nullable(isoTime),
  /** Whether the visitor or trader is connected; otherwise replies are e-mailed, if their address is known. */
  here: z.boolean(),
})
export type DeskChat = z.infer<typeof DeskChat>

export const DeskConversation = z.strictObject({
  ...DeskChat.shape,
  /** The newest 100, oldest first. */
  messages: z.array(
    z.strictObject({
      ...z.omit(ChatMessage, { from: true }).shape,
      from: z.enum(['visitor', 'desk']),
      /** The operator who wrote it. */
      operator: z.nullable(z.string()),
    }),
  ),
  /** The visitor or trader is typing. */
  typing: z.boolean(),
})
export type DeskConversation = z.infer<typeof DeskConversation>

const Locks = z.strictObject({
  trading: z.boolean(),
  deposits: z.boolean(),
  withdrawals: z.boolean(),
  sign_in: z.boolean(),
})

export const DeskUser = z.strictObject({
  id: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  name: z.string(),
  country: z.string(),
  trading_plan: z.string(),
  balance: usdNumber,
  demo_balance: usdNumber,
  identity: z.nullable(z.enum(VERIFICATION_STATUSES)),
  locks: Locks,
  created_at: isoTime,
  /** Set when a newer registration replaced this account, whose address was never confirmed. */
  ended_at: z.nullable(isoTime),
})
export type DeskUser = z.infer<typeof DeskUser>

const Holdings = z.strictObject({
  /** Available balance, open stakes, held withdrawals, and debt (0 or below), US dollars. */
  balance: usdNumber,
  escrow: usdNumber,
  hold: usdNumber,
  owed: usdNumber,
})

export const DeskNote = z.strictObject({ id: z.string(), ...Person.shape, text: z.string(), at: isoTime })

export const DeskAdjustment = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  book: z.enum(MODES),
  /** Above 0: a credit to the trader. */
  amount: usdNumber,
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskAdjustment = z.infer<typeof DeskAdjustment>

export const FACTOR_RESET_STATUSES = ['Pending', 'Approved', 'Rejected', 'Stopped', 'Done'] as const

/** Reversal of a credited deposit after a refund or dispute that the card provider doesn't report. */
export const DeskReversal = z.strictObject({
  id: z.string(),
  deposit_id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  method: z.enum(['crypto', 'card']),
  /** Amount of the deposit, US dollars. */
  credited: usdNumber,
  reversed: usdNumber,
  amount: usdNumber,
  /** The refund's or dispute's reference at its source. */
  reference: z.string(),
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskReversal = z.infer<typeof DeskReversal>

/** Removal of a lost second factor. Once approved, it takes effect at `due_at` unless the trader stops it. */
export const DeskFactorReset = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  reason: z.string(),
  status: z.enum(FACTOR_RESET_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  due_at: z.optional(isoTime),
  ended_at: z.optional(isoTime),
  /** Proposed by this operator, or about them: another operator decides. */
  own: z.boolean(),
})
export type DeskFactorReset = z.infer<typeof DeskFactorReset>

/** One part of an account's movement. */
export const DeskMovement = z.strictObject({
  /** Its number within the account. */
  id: z.string(),
  at: isoTime,
  cause: z.string(),
  cause_id: z.string(),
  debit: z.string(),
  credit: z.string(),
  amount: usdNumber,
  /** The change of the balance, and the balance after it. */
  change: usdNumber,
  balance: usdNumber,
})
export type DeskMovement = z.infer<typeof DeskMovement>

export const DeskTrade = z.strictObject({
  ...Trade.shape,
  id: z.string(),
  user_id: z.string(),
  email: z.string(),
  name: z.string(),
  own: z.boolean(),
  /** Set once a risk operator proposed voiding it. */
  void: z.nullable(
    z.strictObject({ proposed_by: Person, reason: z.string(), at: isoTime, completed_by: z.nullable(Person) }),
  ),
})
export type DeskTrade = z.infer<typeof DeskTrade>

/** The newest of each kind; for complete lists, filter them by `user`. */
export const DeskUserPicture = z.strictObject({
  ...DeskUser.shape,
  firstname: z.string(),
  lastname: z.string(),
  phone: z.string(),
  gender: z.string(),
  date_of_birth: z.string(),
  state: z.string(),
  city: z.string(),
  address: z.string(),
  referral_code: z.string(),
  referred_by: z.nullable(z.strictObject({ id: z.string(), email: z.string() })),
  accounts: z.strictObject({ real: Holdings, demo: Holdings }),
  lock_reasons: z.array(z.strictObject({ kind: z.enum(LOCKS), ...Person.shape, reason: z.string(), at: isoTime })),
  flags: z.array(z.string()),
  notes: z.array(DeskNote),
  sessions: z.array(
    z.strictObject({
      id: z.string(),
      device: z.string(),
      address: z.string(),
      created_at: isoTime,
      last_seen_at: isoTime,
      ended_at: z.nullable(isoTime),
      end_reason: z.nullable(z.string()),
    }),
  ),
  identity_checks: z.array(DeskIdentityCheck),
  deposits: z.array(DeskDeposit),
  withdrawals: z.array(DeskWithdrawal),
  plan_requests: z.array(DeskPlanRequest),
  adjustments: z.array(DeskAdjustment),
  second_factor: z.strictObject({ totp: z.boolean(), passkeys: z.number(), recovery_codes_left: z.number() }),
  factor_resets: z.array(DeskFactorReset),
  /** The operator's own account as a trader. */
  own: z.boolean(),
})
export type DeskUserPicture = z.infer<typeof DeskUserPicture>

const Sides = z.strictObject({ trades: z.number(), stake: usdNumber, pays: usdNumber })
export const DeskExposure = z.strictObject({
  symbol: z.string(),
  trading_type: z.enum(TRADING_TYPES),
  /** Latest price, decimal text, and its source time; absent before the first price. */
  price: z.optional(z.string()),
  price_time: z.optional(isoTime),
  status: z.enum(['open', 'stale', 'unavailable']),
  /** Open trades of each side, their stakes, and their payout including stakes if they ended now. */
  buy: Sides,
  sell: Sides,
  /** The house's profit (below 0: its loss) if all trades ended now. */
  house_now: usdNumber,
  /** The limit on open stakes, if there is one (real book). */
  open_max: z.nullable(usdNumber),
})
export type DeskExposure = z.infer<typeof DeskExposure>

export const DeskFeeds = z.strictObject({
  source: z.enum(SOURCES),
  /** Empty when healthy, otherwise the problem. */
  health: z.string(),
  clock_agrees: z.boolean(),
  /** The latest frame. */
  frame: z.strictObject({ n: z.number(), time: isoTime }),
  /** Quotes that the gate rejected, by reason, since the start. */
  refused: z.record(z.string(), z.number()),
  symbols: z.array(
    z.strictObject({
      symbol: z.string(),
      trading_type: z.nullable(z.enum(TRADING_TYPES)),
      status: z.enum(['open', 'stale', 'unavailable']),
      reason: z.optional(z.string()),
      price: z.optional(z.string()),
      time: z.optional(isoTime),
      /** Age of that price, in milliseconds. */
      age_ms: z.optional(z.number()),
      stale_after_ms: z.number(),
    }),
  ),
})
export type DeskFeeds = z.infer<typeof DeskFeeds>

export const DeskSettingsChange = z.strictObject({
  id: z.string(),
  /** The proposed settings, and their values at the time of the proposal. */
  changes: z.record(z.string(), z.unknown()),
  before: z.record(z.string(), z.unknown()),
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  own: z.boolean(),
})
export type DeskSettingsChange = z.infer<typeof DeskSettingsChange>

export const DeskSettings = z.strictObject({
  stake_max: usdNumber,
  open_stake_max: usdNumber,
  symbol_limits: z.array(z.strictObject({ symbol: z.string(), open_max: usdNumber, open: usdNumber })),
  deposit_two_person_amount: usdNumber,
  withdraw_two_person_amount: usdNumber,
  withdrawals_need_identity: z.boolean(),
  btc_address: z.nullable(z.string()),
  eth_address: z.nullable(z.string()),
  /** Changes that need a second admin. */
  waiting: z.array(DeskSettingsChange),
})
export type DeskSettings = z.infer<typeof DeskSettings>

export const DeskOperator = z.strictObject({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.enum(OPERATOR_ROLES)),
  /** Invited: has not joined yet. Ended: can no longer sign in. */
  status: z.enum(['Invited', 'Active', 'Ended']),
  created_at: isoTime,
  last_seen_at: z.nullable(isoTime),
  ended_at: z.nullable(isoTime),
  own: z.boolean(),
})
export type DeskOperator = z.infer<typeof DeskOperator>

/** An invitation or role change that one admin proposed and another decides. */
export const DeskOperatorChange = z.strictObject({
  id: z.string(),
  kind: z.enum(['invite', 'roles']),
  email: z.string(),
  roles: z.array(z.enum(OPERATOR_ROLES)),
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  own: z.boolean(),
})
export type DeskOperatorChange = z.infer<typeof DeskOperatorChange>

export const DeskAuditRow = z.strictObject({
  /** Its number in the chain, from 1. */
  id: z.string(),
  at: isoTime,
  /** Null for an action from the host. */
  operator_id: z.nullable(z.string()),
  operator: z.string(),
  action: z.string(),
  item_kind: z.string(),
  item_id: z.string(),
  /** The account that the action concerns. */
  user_id: z.nullable(z.string()),
  before: z.nullable(z.unknown()),
  after: z.nullable(z.unknown()),
  why: z.string(),
  /** Hex. */
  hash: z.string(),
})
export type DeskAuditRow = z.infer<typeof DeskAuditRow>

const Waiting = z.strictObject({
  /** A queue, or one of `adjustments`, `reversals`, `factor-resets`, `settings`, `voids`. */
  queue: z.string(),
  waiting: z.number(),
  unclaimed: z.number(),
  mine: z.number(),
  oldest_at: z.nullable(isoTime),
  /** Their total amount, US dollars. */
  amount: usdNumber,
})
export const DeskOverview = z.strictObject({
  queues: z.array(Waiting),
  open_trades: z.strictObject({ real: z.number(), demo: z.number(), real_stake: usdNumber, demo_stake: usdNumber }),
  users: z.number(),
  feeds: z.strictObject({ source: z.enum(SOURCES), health: z.string(), stale: z.number() }),
})
export type DeskOverview = z.infer<typeof DeskOverview>

/** The signed-in operator. */
export const Operator = z.strictObject({ id: z.string(), email: z.string(), roles: z.array(z.enum(OPERATOR_ROLES)) })
export type Operator = z.infer<typeof Operator>

// ---- Endpoints ----

const WORKS_ON = {
  'identity-checks': ['compliance'],
  deposits: ['finance'],
  withdrawals: ['finance'],
  'plan-requests': ['finance'],
  messages: ['support'],
  chats: ['support'],
} as const
const compliance = ['compliance'] as const
const finance = ['finance'] as const
const risk = ['risk'] as const
const admin = ['admin'] as const

const actProblems = ['not_found', 'wrong_state', 'claimed', 'own_item'] as const
const claimRow = <Q extends Queue>(queue: Q, summary: string) =>
  ({
    summary,
    access: 'operator',
    roles: WORKS_ON[queue],
    params: byId,
    reply: messageReply,
    problems: actProblems,
  }) as const
const actionRow = <const R extends Endpoint['roles'], D extends Endpoint['reply']>(
  summary: string,
  roles: R,
  reply: D,
) => ({ summary, access: 'operator', roles, params: byId, reply, problems: actProblems }) as const

/** Sign-in of operators, who have separate sessions and tokens. */
export const deskAuthCalls = {
  'POST /desk/auth/join': {
    summary: 'Take up an invitation: chooses the password, and answers the authenticator to enrol.',
    access: 'visitor',
    body: z.strictObject({ token: token(), password: newPassword }),
    reply: replyOf(z.strictObject({ email: z.string(), secret: z.string(), otpauth_url: z.string() })),
    problems: ['invalid_hash'],
  },
  'POST /desk/auth/join/confirm': {
    summary: "Enrol the authenticator by one of its codes: from now on the operator's account works.",
    access: 'visitor',
    body: z.strictObject({ token: token(), code: text(20) }),
    reply: messageReply,
    problems: ['invalid_hash', 'invalid_credentials'],
  },
  'POST /desk/auth/login': {
    summary: 'Sign in at the desk: 12 hours, ended at once when the operator is or his roles change.',
    access: 'visitor',
    body: z.strictObject({ email, password, code: text(20), link: z.optional(token()) }),
    reply: z.strictObject({
      status: z.literal(true),
      data: Operator,
      tokens: z.strictObject({ access: z.strictObject({ token: z.string(), expires: isoTime }) }),
    }),
    problems: ['invalid_credentials', 'sign_in_link_required'],
  },
  'POST /desk/auth/logout': { summary: 'End this session.', access: 'operator', reply: messageReply, problems: [] },
  'GET /desk/auth/me': {
    summary: 'The operator who is signed in.',
    access: 'operator',
    reply: replyOf(Operator),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>

/** Access to the desk, and the audit log. */
export const deskOfficeCalls = {
  'GET /desk/operators': {
    summary: 'Everyone of the desk, invited, active and ended.',
    access: 'operator',
    roles: ['admin', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(['Invited', 'Active', 'Ended'])), ...list }),
    reply: listOf(DeskOperator),
    problems: [],
  },
  'POST /desk/operators': {
    summary: 'Proposes to invite an operator. Once a second admin approves, the link is e-mailed to the invitee.',
    access: 'operator',
    roles: admin,
    body: z.strictObject({ email, roles }),
    reply: replyOf(DeskOperatorChange),
    problems: ['already_exists', 'wrong_state'],
  },
  'POST /desk/operators/:id/roles': {
    summary:
      "Proposes other roles for an operator. A second admin's approval applies them and ends the operator's sessions.",
    access: 'operator',
    roles: admin,
    params: byId,
    body: z.strictObject({ roles, reason }),
    reply: replyOf(DeskOperatorChange),
    problems: ['not_found', 'wrong_state', 'own_item'],
  },
  'GET /desk/operator-changes': {
    summary: 'Lists proposed invitations and role changes, newest first.',
    access: 'operator',
    roles: ['admin', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), ...list }),
    reply: listOf(DeskOperatorChange),
    problems: [],
  },
  'POST /desk/operator-changes/:id/approve': {
    ...actionRow('Approves an invitation or a role change of another admin.', admin, replyOf(DeskOperatorChange)),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'already_exists'],
  },
  'POST /desk/operator-changes/:id/reject': {
    ...actionRow('Rejects an invitation or a role change of another admin.', admin, replyOf(DeskOperatorChange)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
  },
  'POST /desk/operators/:id/end': {
    summary: "Ends an operator's access, sessions and claims at once. They come back only as a new operator.",
    access: 'operator',
    roles: admin,
    params: byId,
    body: Reason,
    reply: replyOf(DeskOperator),
    problems: ['not_found', 'wrong_state', 'own_item'],
  },
  'GET /desk/audit': {
    summary: 'What operators did, newest first.',
    access: 'operator',
    roles: ['auditor', 'admin', 'compliance'],
    query: z.strictObject({
      operator: optionalText(20),
      action: optionalText(60),
      item_kind: optionalText(40),
      item_id: optionalText(40),
      user: optionalText(20),
      ...list,
    }),
    reply: listOf(DeskAuditRow),
    problems: [],
  },
  'GET /desk/audit/verify': {
    summary: 'Recompute the chain of the audit log; names the first row that was changed or is missing.',
    access: 'operator',
    roles: ['auditor', 'admin'],
    reply: replyOf(
      z.strictObject({ ok: z.boolean(), rows: z.number(), head: z.string(), broken: z.nullable(z.string()) }),
    ),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>

export const deskQueueCalls = {
  'GET /desk/overview': {
    summary: 'What waits, for how long, and how much money waits with it.',
    access: 'operator',
    reply: replyOf(DeskOverview),
    problems: [],
  },

  'GET /desk/identity-checks': {
    summary: 'Identity checks and proofs of address, newest first.',
    access: 'operator',
    roles: ['compliance', 'auditor'],
    query: z.strictObject({
      status: z.optional(oneOf(VERIFICATION_STATUSES)),
      kind: z.optional(oneOf(CHECK_KINDS)),
      user: optionalText(20),
      ...queue,
    }),
    reply: listOf(DeskIdentityCheck),
    problems: [],
  },
  'GET /desk/identity-checks/:id/file': {
    summary: 'The picture that was handed in; each view is written into the audit log.',
    access: 'operator',
    roles: compliance,
    params: byId,
    reply: 'text',
    problems: ['not_found'],
  },
  'POST /desk/identity-checks/:id/claim': claimRow('identity-checks', 'Take an identity check to work on.'),
  'POST /desk/identity-checks/:id/release': claimRow('identity-checks', 'Give an identity check back.'),
  'POST /desk/identity-checks/:id/approve': actionRow(
    'Approve an identity check.',
    compliance,
    replyOf(DeskIdentityCheck),
  ),
  'POST /desk/identity-checks/:id/reject': {
    ...actionRow(
      'Reject an identity check; the trader reads the reason and may hand in another.',
      compliance,
      replyOf(DeskIdentityCheck),
    ),
    body: Reason,
  },

  'GET /desk/plan-requests': {
    summary: 'Requests for a higher plan, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PLAN_REQUEST_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskPlanRequest),
    problems: [],
  },
  'POST /desk/plan-requests/:id/claim': claimRow('plan-requests', 'Take a plan request to work on.'),
  'POST /desk/plan-requests/:id/release': claimRow('plan-requests', 'Give a plan request back.'),
  'POST /desk/plan-requests/:id/approve': {
    ...actionRow(
      'Approve a plan request; the difference is taken from the real balance.',
      finance,
      replyOf(DeskPlanRequest),
    ),
    problems: [...actProblems, 'insufficient_balance', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/plan-requests/:id/reject': {
    ...actionRow('Reject a plan request; the trader reads the reason.', finance, replyOf(DeskPlanRequest)),
    body: Reason,
    idempotent: true,
    problems: [...actProblems, 'idempotency_mismatch'],
  },

  'GET /desk/messages': {
    summary: 'Messages from the contact form, newest first.',
    access: 'operator',
    roles: ['support', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(MESSAGE_STATUSES)), ...queue }),
    reply: listOf(DeskMessage),
    problems: [],
  },
  'POST /desk/messages/:id/claim': claimRow('messages', 'Take a message to work on.'),
  'POST /desk/messages/:id/release': claimRow('messages', 'Give a message back.'),
  'POST /desk/messages/:id/reply': {
    ...actionRow('Answer a message by mail.', ['support'], replyOf(DeskMessage)),
    body: z.strictObject({ text: text(LENGTH.message) }),
  },
  'POST /desk/messages/:id/close': actionRow('Close a message.', ['support'], replyOf(DeskMessage)),

  'GET /desk/chats': {
    summary: 'Live chats, newest first.',
    access: 'operator',
    roles: ['support', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(MESSAGE_STATUSES)), ...queue }),
    reply: listOf(DeskChat),
    problems: [],
  },
  'GET /desk/chats/:id': {
    summary: 'One live chat with what was said.',
    access: 'operator',
    roles: ['support', 'auditor'],
    params: byId,
    reply: replyOf(DeskConversation),
    problems: ['not_found'],
  },
  'POST /desk/chats/:id/claim': claimRow('chats', 'Take a live chat.'),
  'POST /desk/chats/:id/release': claimRow('chats', 'Give a live chat back.'),
  'POST /desk/chats/:id/reply': {
    ...actionRow(
      'Answer in a live chat, and go on having it; by mail where nobody listens any more.',
      ['support'],
      replyOf(DeskConversation),
    ),
    body: z.strictObject({ text: text(LENGTH.message) }),
  },
  'POST /desk/chats/:id/typing': actionRow(
    'Say that an answer is being written; nothing is kept of it.',
    ['support'],
    messageReply,
  ),
  'POST /desk/chats/:id/close': actionRow('Close a live chat.', ['support'], replyOf(DeskConversation)),
} as const satisfies Record<string, Endpoint>

export const deskCashierCalls = {
  'GET /desk/deposits': {
    summary: 'Deposits, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(DEPOSIT_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskDeposit),
    problems: [],
  },
  'GET /desk/deposits/:id/receipt': {
    summary: 'The picture of a receipt; each view is written into the audit log.',
    access: 'operator',
    roles: finance,
    params: byId,
    reply: 'text',
    problems: ['not_found'],
  },
  'POST /desk/deposits/:id/claim': claimRow('deposits', 'Take a deposit to work on.'),
  'POST /desk/deposits/:id/release': claimRow('deposits', 'Give a deposit back.'),
  'POST /desk/deposits/:id/approve': {
    ...actionRow(
      'Approve a deposit by the US dollars that arrived; above the threshold a second person types the same.',
      finance,
      replyOf(DeskDeposit),
    ),
    body: z.strictObject({ amount: usdAmount() }),
    problems: [...actProblems, 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/deposits/:id/withdraw-approval': actionRow(
    "Take one's own approval of a deposit back, while it waits for another.",
    finance,
    replyOf(DeskDeposit),
  ),
  'POST /desk/deposits/:id/reject': {
    ...actionRow(
      'Reject a deposit; the trader reads the reason. The open checkout of a card deposit is closed first.',
      finance,
      replyOf(DeskDeposit),
    ),
    body: Reason,
    problems: [...actProblems, 'unavailable', 'not_configured', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/deposits/:id/reverse': {
    summary:
      'Propose to reverse a credited deposit after a refund or dispute; a second finance operator decides. The balance pays as far as it can; the rest is owed.',
    access: 'operator',
    roles: finance,
    params: byId,
    /** `reference`: the refund's or dispute's reference at its source; each can be reversed once. */
    body: z.strictObject({ amount: usdAmount(), reference: text(LENGTH.bank), reason }),
    reply: replyOf(DeskReversal),
    problems: ['not_found', 'own_item', 'wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
  'GET /desk/reversals': {
    summary: 'Proposed and decided reversals of deposits, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskReversal),
    problems: [],
  },
  'POST /desk/reversals/:id/approve': {
    ...actionRow('Approve the reversal of a deposit, which moves the money.', finance, replyOf(DeskReversal)),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/reversals/:id/reject': {
    ...actionRow('Reject the reversal of a deposit.', finance, replyOf(DeskReversal)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },

  'GET /desk/withdrawals': {
    summary: 'Withdrawals, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(WITHDRAW_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskWithdrawal),
    problems: [],
  },
  'GET /desk/withdrawals/:id/bank': {
    summary: 'The bank account of a withdrawal, unmasked; each view is written into the audit log.',
    access: 'operator',
    roles: finance,
    params: byId,
    reply: replyOf(BankDetails),
    problems: ['not_found'],
  },
  'POST /desk/withdrawals/:id/claim': claimRow('withdrawals', 'Take a withdrawal to work on.'),
  'POST /desk/withdrawals/:id/release': claimRow('withdrawals', 'Give a withdrawal back.'),
  'POST /desk/withdrawals/:id/approve': {
    ...actionRow(
      'Approve a withdrawal; above the threshold a second person completes it. It is then Processing.',
      finance,
      replyOf(DeskWithdrawal),
    ),
    problems: [...actProblems, 'second_person_required', 'debt_outstanding', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/withdrawals/:id/withdraw-approval': actionRow(
    "Take one's own approval of a withdrawal back, while it waits for another.",
    finance,
    replyOf(DeskWithdrawal),
  ),
  'POST /desk/withdrawals/:id/paid': {
    ...actionRow('Mark a withdrawal as paid.', finance, replyOf(DeskWithdrawal)),
    body: z.strictObject({ reference: text(LENGTH.bank) }),
    problems: [...actProblems, 'debt_outstanding', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/withdrawals/:id/reject': {
    ...actionRow(
      'Reject a withdrawal, or note that its payment bounced; the money returns to the balance.',
      finance,
      replyOf(DeskWithdrawal),
    ),
    body: Reason,
    idempotent: true,
    problems: [...actProblems, 'idempotency_mismatch'],
  },
} as const satisfies Record<string, Endpoint>

export const deskUserCalls = {
  'GET /desk/users': {
    summary: 'Users, newest first; `q` is a part of the e-mail or the name, or a number.',
    access: 'operator',
    query: z.strictObject({ q: optionalText(LENGTH.email), status: z.optional(oneOf(['Living', 'Ended'])), ...list }),
    reply: listOf(DeskUser),
    problems: [],
  },
  'GET /desk/users/:id': {
    summary: "A user's whole picture.",
    access: 'operator',
    params: byId,
    reply: replyOf(DeskUserPicture),
    problems: ['not_found'],
  },
  'GET /desk/users/:id/ledger': {
    summary: "The movements of one of a user's books, newest first.",
    access: 'operator',
    params: byId,
    query: z.strictObject({ book: oneOf(MODES), ...list }),
    reply: listOf(DeskMovement),
    problems: ['not_found'],
  },
  'POST /desk/users/:id/notes': {
    summary: 'Write a note that only the desk reads.',
    access: 'operator',
    roles: ['support', 'compliance', 'finance', 'risk', 'admin'],
    params: byId,
    body: z.strictObject({ text: text(LENGTH.message) }),
    reply: replyOf(DeskNote),
    problems: ['not_found'],
  },
  'POST /desk/users/:id/locks': {
    summary: 'Lock or free trading, deposits, withdrawals, sign-in; what is not named stays.',
    access: 'operator',
    roles: ['risk', 'compliance'],
    params: byId,
    body: LocksBody,
    reply: replyOf(Locks),
    problems: ['not_found', 'own_item'],
  },
  'GET /desk/adjustments': {
    summary: 'Proposed and decided adjustments, newest first.',
    access: 'operator',
    roles: ['finance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(PROPOSAL_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskAdjustment),
    problems: [],
  },
  'POST /desk/users/:id/adjustments': {
    summary: 'Propose to add to, or take from, a balance; a second finance person decides.',
    access: 'operator',
    roles: finance,
    params: byId,
    body: AdjustmentBody,
    reply: replyOf(DeskAdjustment),
    problems: ['not_found', 'own_item', 'idempotency_mismatch', 'wrong_state'],
    idempotent: true,
  },
  'POST /desk/adjustments/:id/approve': {
    ...actionRow('Approve an adjustment, which moves the money.', finance, replyOf(DeskAdjustment)),
    problems: [
      'not_found',
      'wrong_state',
      'own_item',
      'second_person_required',
      'insufficient_balance',
      'idempotency_mismatch',
    ],
    idempotent: true,
  },
  'POST /desk/adjustments/:id/reject': {
    ...actionRow('Reject an adjustment.', finance, replyOf(DeskAdjustment)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'GET /desk/factor-resets': {
    summary: 'Proposed and decided second factor resets, newest first.',
    access: 'operator',
    roles: ['compliance', 'auditor'],
    query: z.strictObject({ status: z.optional(oneOf(FACTOR_RESET_STATUSES)), user: optionalText(20), ...queue }),
    reply: listOf(DeskFactorReset),
    problems: [],
  },
  'POST /desk/users/:id/factor-resets': {
    summary: "Propose to remove a trader's second factor; a second compliance operator decides.",
    access: 'operator',
    roles: compliance,
    params: byId,
    body: Reason,
    reply: replyOf(DeskFactorReset),
    problems: ['not_found', 'own_item', 'wrong_state'],
  },
  'POST /desk/factor-resets/:id/approve': {
    ...actionRow(
      'Approve a second factor reset. The trader is e-mailed and can stop it; it takes effect after 24 hours.',
      compliance,
      replyOf(DeskFactorReset),
    ),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
  },
  'POST /desk/factor-resets/:id/reject': {
    ...actionRow('Reject a second factor reset.', compliance, replyOf(DeskFactorReset)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
  },
} as const satisfies Record<string, Endpoint>

export const deskRiskCalls = {
  'GET /desk/trades': {
    summary: 'Trades of everyone, newest first.',
    access: 'operator',
    roles: ['risk', 'support', 'auditor'],
    query: z.strictObject({
      status: z.optional(oneOf(TRADE_STATUSES)),
      mode: z.optional(oneOf(MODES)),
      symbol: optionalText(20),
      user: optionalText(20),
      ...list,
    }),
    reply: listOf(DeskTrade),
    problems: [],
  },
  'POST /desk/trades/:id/void': {
    summary:
      'Void a trade that is Pending and not at its end: the first risk operator proposes, a second completes; the stake returns.',
    access: 'operator',
    roles: risk,
    params: byId,
    body: Reason,
    reply: replyOf(DeskTrade),
    problems: ['not_found', 'wrong_state', 'own_item', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'GET /desk/exposure': {
    summary: 'Open stakes by symbol and side, and what would be paid if all ended now.',
    access: 'operator',
    roles: ['risk', 'admin', 'auditor'],
    query: z.strictObject({ mode: z.optional(oneOf(MODES)), format }),
    reply: replyOf(z.array(DeskExposure)),
    problems: [],
  },
  'GET /desk/feeds': {
    summary: 'Whether prices come, from where, and how old each is.',
    access: 'operator',
    reply: replyOf(DeskFeeds),
    problems: [],
  },
  'GET /desk/settings': {
    summary: 'What the operator has set, and the changes that wait for a second admin.',
    access: 'operator',
    roles: ['admin', 'finance', 'risk', 'auditor'],
    reply: replyOf(DeskSettings),
    problems: [],
  },
  'PATCH /desk/settings': {
    summary: 'Propose a change; all of them touch money, so a second admin decides.',
    access: 'operator',
    roles: admin,
    body: SettingsBody,
    reply: replyOf(DeskSettingsChange),
    problems: ['wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/settings/changes/:id/approve': {
    ...actionRow('Approve a change of the settings, which takes effect at once.', admin, replyOf(DeskSettingsChange)),
    problems: ['not_found', 'wrong_state', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/settings/changes/:id/reject': {
    ...actionRow('Reject a change of the settings.', admin, replyOf(DeskSettingsChange)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>

/** All endpoints of the desk. */
export const deskCalls = {
  ...deskAuthCalls,
  ...deskOfficeCalls,
  ...deskQueueCalls,
  ...deskCashierCalls,
  ...deskUserCalls,
  ...deskRiskCalls,
}
export type DeskCallName = keyof typeof deskCalls
