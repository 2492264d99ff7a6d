import * as z from 'zod/mini'
import type * as core from 'zod/v4/core'
import type { ProblemCode } from './problem.ts'
import type { OperatorRole } from './terms.ts'

/** A file field of a multipart request. */
export interface FileField {
  /** Maximum size in bytes; larger files are rejected with 413. */
  maxBytes: number
  required: boolean
  /** The error message when a required file is missing. */
  whenMissing?: string
}

/** How often one trader, one operator, or for visitors' calls one network may make a call. The next one is refused with 429, before its body is read. */
export interface CallLimit {
  max: number
  per: 'second' | 'minute' | 'hour'
  /** Given how long to wait: `12 minutes`. */
  message?: string | ((wait: string) => string)
}

/** Keys of automatic trades begin with this; no client's key does. */
export const AUTOMATIC_KEYS = 'automatic:'
/** Keys of the trades of waiting orders begin with this. */
export const WAITING_KEYS = 'waiting:'

/** The limit of each call that writes, if it states none. */
export const WRITES: CallLimit = { max: 60, per: 'minute' }

/**
 * An API endpoint. The table in `api.ts` lists all of them, keyed by `'METHOD /path'` below `/api`. The server can't
 * start without a handler for each, and the client's types are derived from the same table.
 */
export interface Endpoint {
  summary: string
  /** `user`: requires a trader's active session. `operator`: requires a desk session. `visitor`: anyone. */
  access: 'visitor' | 'user' | 'operator'
  /** For `user`: whether a guest may call it too. Absent means 403 `account_required`. */
  guests?: true
  /** For the desk: the operator needs one of these roles; absent when any role may. */
  roles?: readonly OperatorRole[]
  params?: core.$ZodType
  query?: core.$ZodType
  /** A JSON body. */
  body?: core.$ZodType
  /**
   * How often one trader, operator or network may call it. If it isn't stated, a trader's or operator's call that writes
   * is limited by `WRITES`.
   */
  limit?: CallLimit
  /** The JSON body is passed as raw text, to verify a signature over it. */
  raw?: true
  /** The text fields of a multipart request. */
  form?: core.$ZodType
  files?: Record<string, FileField>
  /**
   * The response may be slightly out of date, but includes everything that its caller has written or been notified of.
   * `Cache-Control: no-cache` requests the newest data.
   */
  mayLag?: true
  /** Accepts an `Idempotency-Key`: the same key and body get the same response, and one effect. */
  idempotent?: true
  /** The body of a 200 response; `text` for anything that is not JSON. */
  reply: core.$ZodType | 'text'
  /** Errors that a client may want to distinguish, in addition to those of every endpoint. */
  problems: readonly ProblemCode[]
}

/** `{ status: true, message?, data }`. */
export const replyOf = <T extends core.$ZodType>(data: T) =>
  z.strictObject({ status: z.literal(true), message: z.optional(z.string()), data })

/** `{ status: true, message }`. */
export const messageReply = z.strictObject({ status: z.literal(true), message: z.string() })

/** `{ status: true, data: [...], next_cursor? }`, newest first. */
export const listOf = <T extends core.$ZodType>(row: T) =>
  z.strictObject({ status: z.literal(true), data: z.array(row), next_cursor: z.optional(z.string()) })

/** The same, whose last page says before which UTC day (YYYY-MM-DD) rows may be archived: the list lacks them. */
export const historyOf = <T extends core.$ZodType>(row: T) =>
  z.strictObject({ ...listOf(row).shape, archived_before: z.optional(z.iso.date()) })
