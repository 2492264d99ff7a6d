import * as z from 'zod/mini'
import type { Endpoint } from '../endpoint.ts'
import { oneOf, password, utcDay } from '../fields.ts'
import { MODES } from '../terms.ts'

export const statementsCalls = {
  'GET /statement': {
    summary: 'Returns all movements of a period with the running balance, oldest first. Days are UTC, both included.',
    access: 'user',
    mayLag: true,
    query: z.strictObject({
      mode: oneOf(MODES),
      from: utcDay,
      to: utcDay,
      format: z.optional(oneOf(['csv', 'pdf'])),
    }),
    reply: 'text',
    problems: [],
  },
  'POST /users/export': {
    summary: 'Returns everything that is stored about the trader as a JSON or PDF file, without secrets.',
    access: 'user',
    limit: { max: 3, per: 'hour' },
    body: z.strictObject({ password, format: z.optional(oneOf(['json', 'pdf'])) }),
    reply: 'text',
    problems: ['invalid_credentials', 'step_up_required', 'too_many_requests'],
  },
} as const satisfies Record<string, Endpoint>
