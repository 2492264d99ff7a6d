import * as z from 'zod/mini'

/**
 * All error codes, with their HTTP status. Codes are stable: clients decide by the code, and the message next to it is
 * for people. 401 and 403 sign the trader's client out, so only a missing session, a suspended account and a missing
 * role use them, and `account_required`, which a guest's client never meets and is kept by.
 */
export const PROBLEMS = {
  malformed: 400,
  unauthenticated: 401,
  email_confirmed: 401,
  forbidden: 403,
  account_required: 403,
  sign_in_locked: 403,
  not_found: 404,
  already_exists: 409,
  wrong_state: 409,
  idempotency_mismatch: 409,
  second_person_required: 409,
  own_item: 409,
  claimed: 409,
  payouts_halted: 409,
  too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  insufficient_balance: 422,
  invalid_credentials: 422,
  invalid_session: 422,
  invalid_hash: 422,
  email_not_confirmed: 422,
  identity_required: 422,
  price_unavailable: 422,
  odds_unavailable: 422,
  limit_reached: 422,
  order_expired: 422,
  account_locked: 422,
  reality_check_due: 422,
  debt_outstanding: 422,
  withdrawals_paused: 422,
  step_up_required: 428,
  second_factor_required: 428,
  sign_in_link_required: 428,
  too_many_requests: 429,
  unavailable: 503,
  not_configured: 503,
} as const

export type ProblemCode = keyof typeof PROBLEMS

export interface FieldError {
  field: string
  message: string
}

/** The body of every error response. */
export const ProblemReply = z.strictObject({
  status: z.literal(false),
  code: z.string(),
  message: z.string(),
  errors: z.optional(z.array(z.strictObject({ field: z.string(), message: z.string() }))),
})
export type ProblemReply = z.infer<typeof ProblemReply>

/**
 * An API error. When a use case throws it, the transaction rolls back and the error becomes the response; nothing has
 * changed.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: FieldError[] | undefined
  /** The status when it differs from the code's usual one (503 for `price_unavailable` in a conversion). */
  readonly httpStatus: number
  /** Seconds until a retry makes sense, for 429 and 503. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ProblemCode,
    message: string,
    more: { errors?: FieldError[]; httpStatus?: number; retryAfterSeconds?: number } = {},
  ) {
    super(message)
    this.name = 'Problem'
    this.code = code
    this.errors = more.errors
    this.httpStatus = more.httpStatus ?? PROBLEMS[code]
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** Returns the error of an invalid field. */
export const fieldProblem = (field: string, message: string): Problem =>
  new Problem('validation_failed', sentence(field, message), { errors: [{ field, message }] })

/** Returns a field's message for display: with the field's label first, unless the message is a full sentence. */
export const sentence = (field: string, message: string): string =>
  /^[A-Z]/.test(message) ? message : `${labelOf(field)} ${message}`

const LABELS: Record<string, string> = {
  confirmPassword: 'Confirm password',
  id_file: 'File',
}

/** Returns a field's label in sentence case: `date_of_birth` is 'Date of birth'. */
function labelOf(field: string): string {
  // Every object inherits names such as 'constructor' and '__proto__', and a field may use one.
  const words = (Object.hasOwn(LABELS, field) && LABELS[field]) || field.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
