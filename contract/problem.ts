import * as z from 'zod/mini'

/**
 * Every way a call can be refused: its stable code and the HTTP status that goes with it. Clients decide by the code;
 * the message beside it is for people. 401 and 403 sign the trader's client out, so only a missing session, a
 * suspended account and a missing role use them.
 */
export const PROBLEMS = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  sign_in_locked: 403,
  not_found: 404,
  already_exists: 409,
  wrong_state: 409,
  idempotency_mismatch: 409,
  second_person_required: 409,
  own_item: 409,
  claimed: 409,
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
  limit_reached: 422,
  account_locked: 422,
  debt_outstanding: 422,
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

/** What every refused call answers. */
export const ProblemReply = z.strictObject({
  status: z.literal(false),
  code: z.string(),
  message: z.string(),
  errors: z.optional(z.array(z.strictObject({ field: z.string(), message: z.string() }))),
})
export type ProblemReply = z.infer<typeof ProblemReply>

/** A refusal. Thrown by a use case, it rolls the transaction back and becomes the answer; nothing has changed. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: FieldError[] | undefined
  /** The status where it differs from the code's usual one (503 `price_unavailable` where a conversion asks). */
  readonly httpStatus: number
  /** Seconds after which a repeat makes sense, for 429 and 503. */
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

/** A refusal that one field causes. */
export const fieldProblem = (field: string, message: string): Problem =>
  new Problem('validation_failed', sentence(field, message), { errors: [{ field, message }] })

/** A field's message as people read it: the label before it, unless the message is a sentence of its own. */
export const sentence = (field: string, message: string): string =>
  /^[A-Z]/.test(message) ? message : `${labelOf(field)} ${message}`

const LABELS: Record<string, string> = {
  confirmPassword: 'Confirm password',
  id_file: 'File',
}

/** The words a field is called by, first letter in upper case: `date_of_birth` is 'Date of birth'. */
export function labelOf(field: string): string {
  // A field may be called 'constructor' or '__proto__', which every object has.
  const words = (Object.hasOwn(LABELS, field) && LABELS[field]) || field.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
