import * as z from 'zod/mini'
import type * as core from 'zod/v4/core'
import type { ProblemCode } from './problem.ts'
import type { OperatorRole } from './terms.ts'

/** A file that a multipart call takes. */
export interface FileField {
  /** Bytes; a larger one is 413. */
  maxBytes: number
  required: boolean
  /** The message when a required one is missing. */
  whenMissing?: string
}

/**
 * One call as it crosses the wire. The table in `api.ts` holds all of them, keyed by `'METHOD /path'` below `/api`;
 * the server cannot start without a handler for each, and the client's types come from the same rows.
 */
export interface Endpoint {
  summary: string
  /** `user`: needs a trader's living session. `operator`: one of the desk. `visitor`: anyone. */
  access: 'visitor' | 'user' | 'operator'
  /** Desk: an operator needs one of these; absent where any may. */
  roles?: readonly OperatorRole[]
  params?: core.$ZodType
  query?: core.$ZodType
  /** A JSON body. */
  body?: core.$ZodType
  /** The JSON body is taken as the text it came as, for a signature over it. */
  raw?: true
  /** The text fields of a multipart body. */
  form?: core.$ZodType
  files?: Record<string, FileField>
  /** Takes an `Idempotency-Key`: same key and body, same answer, one effect. */
  idempotent?: true
  /** What a 200 answers; `text` for anything that is not JSON. */
  reply: core.$ZodType | 'text'
  /** The refusals a client may want to tell apart, besides those every call has. */
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
