import { type $ZodIssue, type $ZodType, safeParse } from 'zod/v4/core'
import { type FieldError, Problem, sentence } from '#contract/problem.ts'

/** Maximum fields that an error names. A hostile body can have thousands of unknown ones. */
const FIELDS_NAMED = 20
/** More fields than any endpoint has. */
const FIELDS_MOST = 200
/** Longest field name that an error repeats. */
const FIELD_NAME_LENGTH = 60

/**
 * Parses an untrusted part of a request by its schema. The error names up to 20 failing fields, each with its first
 * failing rule. Linear in the size of the request.
 */
export function checked(schema: $ZodType, unchecked: unknown): unknown {
  if (unchecked !== null && typeof unchecked === 'object' && Object.keys(unchecked).length > FIELDS_MOST)
    throw invalid([{ field: 'body', message: 'has too many fields' }])
  const result = safeParse(schema, unchecked)
  if (result.success) {
    rejectNul(result.data, '')
    return result.data
  }
  throw invalid(errorsOf(result.error.issues))
}

function* errorsOf(issues: $ZodIssue[]): Iterable<FieldError> {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') yield* unknownFields(issue.keys)
    else yield { field: issue.path.length ? issue.path.map(String).join('.') : 'body', message: messageOf(issue) }
  }
}

function* unknownFields(keys: readonly string[]): Iterable<FieldError> {
  for (const field of keys) yield { field, message: 'is not a known field' }
}

/** Rejects any fields in a part of a request, for endpoints that take none there. `part` is `query` or `body`. */
export function rejectUnknown(given: unknown, part: string): undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given !== 'object' || Array.isArray(given))
    throw invalid([{ field: part, message: 'is not used by this endpoint' }])
  const keys = Object.keys(given)
  if (keys.length > 0) throw invalid(unknownFields(keys))
  return undefined
}

/** Builds the error for failing fields: each once, with its first error, and at most 20 of them. */
export function invalid(found: Iterable<FieldError>): Problem {
  const errors = new Map<string, FieldError>()
  for (const { field: name, message } of found) {
    if (errors.size === FIELDS_NAMED) break
    const field = name.slice(0, FIELD_NAME_LENGTH)
    if (!errors.has(field)) errors.set(field, { field, message })
  }
  const [first] = errors.values()
  return new Problem('validation_failed', first ? sentence(first.field, first.message) : 'is invalid', {
    errors: [...errors.values()],
  })
}

function messageOf(issue: { code: string; message: string; path: PropertyKey[] }): string {
  if (issue.path.length === 0 && issue.code === 'invalid_type') return 'must be a JSON object'
  return issue.message
}

/** PostgreSQL text can't hold U+0000: reject it here by field, before it becomes a database error. */
function rejectNul(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid([{ field: field || 'body', message: 'is invalid' }])
  } else if (Array.isArray(value)) {
    for (const item of value) rejectNul(item, field)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) rejectNul(item, field || key)
  }
}
