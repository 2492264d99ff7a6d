import { type $ZodType, safeParse } from 'zod/v4/core'
import { type FieldError, Problem, sentence } from '#contract/problem.ts'

/** Reads an unchecked part of a request by its schema. Every failing field is named with its own first failing rule. */
export function checked(schema: $ZodType, unchecked: unknown): unknown {
  const result = safeParse(schema, unchecked)
  if (result.success) {
    refuseNul(result.data, '')
    return result.data
  }
  const errors: FieldError[] = []
  const add = (field: string, message: string) => {
    if (!errors.some((error) => error.field === field)) errors.push({ field, message })
  }
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) add(key, 'is not a known field')
    else add(issue.path.length ? issue.path.map(String).join('.') : 'body', messageOf(issue))
  }
  throw invalid(errors)
}

export function invalid(errors: FieldError[]): Problem {
  const [first] = errors
  return new Problem('validation_failed', first ? sentence(first.field, first.message) : 'is invalid', { errors })
}

function messageOf(issue: { code: string; message: string; path: PropertyKey[] }): string {
  if (issue.path.length === 0 && issue.code === 'invalid_type') return 'must be a JSON object'
  return issue.message
}

/** PostgreSQL's text cannot hold U+0000: refused here, as the field it came in, before it can become an error there. */
function refuseNul(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid([{ field: field || 'body', message: 'is invalid' }])
  } else if (Array.isArray(value)) {
    for (const item of value) refuseNul(item, field)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) refuseNul(item, field || key)
  }
}
