import * as z from 'zod/mini'
import { EXCLUSION_MONTHS, Guardrails, oneOfNumbers, TIME_OUT_DAYS } from '../../account/guardrails.ts'
import { type Endpoint, listOf, replyOf } from '../../endpoint.ts'
import { isoTime, LENGTH, oneOf, optionalText, text, usdNumber } from '../../fields.ts'
import { MODES, OPERATOR_ROLES, VERIFICATION_STATUSES } from '../../terms.ts'
import { DeskAdjustment } from '../money/adjustments.ts'
import { DeskDeposit } from '../money/deposits.ts'
import { DeskPlanRequest } from '../money/plan-requests.ts'
import { DeskWithdrawal } from '../money/withdrawals.ts'
import { byId, days, flag, list, Person, reason } from '../parts.ts'
import { LOCKS, PAGES } from '../terms.ts'
import { DeskFactorReset } from './factor-resets.ts'
import { DeskIdentityCheck } from './identity-checks.ts'

const LocksBody = z.strictObject({ trading: flag, deposits: flag, withdrawals: flag, sign_in: flag, reason }).check(
  z.refine((body) => LOCKS.some((lock) => body[lock] !== undefined), {
    path: ['trading'],
    error: 'Name at least one lock',
  }),
)

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
  /** When its owner closed it, or a newer registration replaced it, whose address was never confirmed. */
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

const DeskNote = z.strictObject({ id: z.string(), ...Person.shape, text: z.string(), at: isoTime })

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

/** A time-out or self-exclusion of a user, past or in force. */
const DeskExclusion = z.strictObject({
  id: z.string(),
  kind: z.enum(['time_out', 'exclusion']),
  starts_at: isoTime,
  /** Null: permanent. */
  ends_at: z.nullable(isoTime),
  return_at: z.nullable(isoTime),
  /** The operator who recorded it, and what the trader asked for; null if the trader set it. */
  operator: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** The user whose exclusion it carries over; null for their own. */
  carried_from: z.nullable(z.string()),
  /** When two operators lifted it as a wrong match. */
  lifted_at: z.nullable(isoTime),
})

/** A break that the trader asked for elsewhere: days of a time-out, or months of a self-exclusion, null permanently. */
export const ExclusionBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('time_out'), days: oneOfNumbers(TIME_OUT_DAYS), reason }),
  z.strictObject({ kind: z.literal('exclusion'), months: z.nullable(oneOfNumbers(EXCLUSION_MONTHS)), reason }),
])

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
  lock_reasons: z.array(
    z.strictObject({
      kind: z.enum(LOCKS),
      ...Person.shape,
      reason: z.string(),
      at: isoTime,
      /** The roles that set it: an operator with one of them lifts it alone. */
      roles: z.array(z.enum(OPERATOR_ROLES)),
    }),
  ),
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
  guardrails: Guardrails,
  exclusions: z.array(DeskExclusion),
  /** The operator's own account as a trader. */
  own: z.boolean(),
})
export type DeskUserPicture = z.infer<typeof DeskUserPicture>

/** Users, their notes and locks. */
export const userCalls = {
  'GET /desk/users': {
    summary: 'Lists users, newest first. `q` matches a part of the e-mail address or name, or a number.',
    access: 'operator',
    mayLag: true,
    query: z.strictObject({
      q: optionalText(LENGTH.email),
      status: z.optional(oneOf(['Active', 'Ended'])),
      /** With a real trade that settled in the period. */
      traded: days,
      ...list,
    }),
    reply: listOf(DeskUser),
    problems: [],
  },
  'GET /desk/users/:id': {
    summary: 'Returns everything that the desk knows about a user.',
    access: 'operator',
    mayLag: true,
    params: byId,
    reply: replyOf(DeskUserPicture),
    problems: ['not_found'],
  },
  'GET /desk/users/:id/ledger': {
    summary: "Lists the movements of a user's real or demo account, newest first.",
    access: 'operator',
    mayLag: true,
    params: byId,
    query: z.strictObject({ book: oneOf(MODES), ...list }),
    reply: listOf(DeskMovement),
    problems: ['not_found'],
  },
  'POST /desk/users/:id/notes': {
    summary: 'Adds a note that only operators see.',
    access: 'operator',
    roles: PAGES.users.writesNotes,
    params: byId,
    body: z.strictObject({ text: text(LENGTH.message) }),
    reply: replyOf(DeskNote),
    problems: ['not_found'],
  },
  'POST /desk/users/:id/locks': {
    summary:
      'Locks or unlocks trading, deposits, withdrawals or sign-in. Omitted locks stay as they are. Lifting what another role locked takes two operators.',
    access: 'operator',
    roles: PAGES.users.locks,
    params: byId,
    body: LocksBody,
    reply: replyOf(Locks),
    problems: ['not_found', 'own_item', 'second_person_required'],
  },
  'POST /desk/users/:id/exclusion': {
    summary:
      'Records a time-out or self-exclusion that the trader asked for. Nobody can remove or shorten it. A permanent one by support is proposed, and a time-out of 7 days starts.',
    access: 'operator',
    roles: PAGES.users.excludes,
    params: byId,
    body: ExclusionBody,
    reply: replyOf(Guardrails),
    problems: ['not_found', 'own_item', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
