import * as z from 'zod/mini'
import type { Endpoint } from '../endpoint.ts'
import { messageReply, replyOf } from '../endpoint.ts'
import { isoTime, password, token } from '../fields.ts'

/** Whether an account can be closed, and whether it is being closed. */
export const Closure = z.strictObject({
  /** When it closes; null while nobody asked for it. */
  due_at: z.nullable(isoTime),
  /** What has to be settled first, as sentences. */
  first: z.array(z.string()),
})
export type Closure = z.infer<typeof Closure>

/** Closing an account. */
export const closureCalls = {
  'GET /auth/closure': {
    summary: 'Returns when the account closes, and what has to be settled before it can.',
    access: 'user',
    reply: replyOf(Closure),
    problems: [],
  },
  'POST /auth/closure': {
    summary:
      'Asks to close the account in 14 days, by when it must be empty. Ends the other sessions and automatic trades, and e-mails a link that keeps it.',
    access: 'user',
    limit: { max: 5, per: 'hour' },
    body: z.strictObject({ password }),
    reply: replyOf(Closure),
    problems: ['invalid_credentials', 'step_up_required', 'email_not_confirmed', 'wrong_state'],
  },
  'DELETE /auth/closure': {
    summary: 'Keeps an account that is being closed.',
    access: 'user',
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'POST /auth/closure/keep': {
    summary: 'Keeps an account that is being closed, by the e-mailed link.',
    access: 'visitor',
    limit: { max: 60, per: 'hour' },
    body: z.strictObject({ hash: token() }),
    reply: messageReply,
    problems: ['invalid_hash'],
  },
} as const satisfies Record<string, Endpoint>
