import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import { MESSAGE, oneOf, text } from './fields.ts'
import { MODES } from './terms.ts'

/** A calendar day in UTC, `YYYY-MM-DD`. */
const day = text(10).check(
  z.refine((value) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
    const start = new Date(`${value}T00:00:00Z`)
    return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(value)
  }, MESSAGE.invalid),
)

export const statementsCalls = {
  'GET /statement': {
    summary: 'Returns all movements of a period with the running balance, oldest first. Days are UTC, both included.',
    access: 'user',
    query: z.strictObject({
      mode: oneOf(MODES),
      from: day,
      to: day,
      format: z.optional(oneOf(['csv', 'pdf'])),
    }),
    reply: 'text',
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
