import * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import { oneOf, utcDay } from './fields.ts'
import { MODES } from './terms.ts'

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
} as const satisfies Record<string, Endpoint>
