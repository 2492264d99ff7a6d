import * as z from 'zod/mini'
import type { Endpoint } from '../endpoint.ts'
import { messageReply, replyOf } from '../endpoint.ts'
import { email, isoTime, password, token } from '../fields.ts'

/** A change of address that waits for confirmations. */
export const EmailChange = z.strictObject({
  /** The new address. */
  email: z.string(),
  expires_at: isoTime,
  old_confirmed: z.boolean(),
  new_confirmed: z.boolean(),
})
export type EmailChange = z.infer<typeof EmailChange>

/** What a pressed link did. */
const Pressed = z.strictObject({
  /** Whether both addresses have confirmed, so that the address has changed. */
  done: z.boolean(),
})

const hash = z.strictObject({ hash: token() })
/** By network: a link is pressed once. */
const PRESSES = { max: 60, per: 'hour' } as const

/** Changing the account's e-mail address, and what an owner does when a mail reports what wasn't theirs. */
export const emailChangeCalls = {
  'GET /auth/email-change': {
    summary: 'Returns the change of address that waits for confirmations, or null.',
    access: 'user',
    reply: replyOf(z.nullable(EmailChange)),
    problems: [],
  },
  'POST /auth/email-change': {
    summary:
      'Starts a change of the e-mail address: both addresses get a link, and nothing changes until both have confirmed. The same address again sends the links again; another replaces it.',
    access: 'user',
    limit: {
      max: 5,
      per: 'hour',
      message: (wait) => `You've asked for several changes of your address. Try again in ${wait}.`,
    },
    body: z.strictObject({ email, password }),
    reply: replyOf(EmailChange),
    problems: ['invalid_credentials', 'step_up_required', 'email_not_confirmed', 'already_exists'],
  },
  'DELETE /auth/email-change': {
    summary: 'Cancels the change of address that waits for confirmations.',
    access: 'user',
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'GET /auth/email-change/details': {
    summary: 'Returns the new address of a link, and whether the link was mailed there.',
    access: 'visitor',
    query: hash,
    reply: replyOf(z.strictObject({ email: z.string(), mailed_to: z.enum(['old', 'new']) })),
    problems: ['invalid_hash'],
  },
  'POST /auth/email-change/confirm': {
    summary:
      'Confirms a change of address by an e-mailed link. The second confirmation changes it, pauses withdrawals for 24 hours and ends the other sessions.',
    access: 'visitor',
    limit: PRESSES,
    body: hash,
    reply: z.strictObject({ ...messageReply.shape, data: Pressed }),
    problems: ['invalid_hash', 'already_exists'],
  },
  'POST /auth/email-change/disown': {
    summary:
      "'This wasn't me': cancels a change of address by an e-mailed link. The old address's link also ends all sessions and freezes withdrawals until a sign-in with a new password.",
    access: 'visitor',
    limit: PRESSES,
    body: hash,
    reply: messageReply,
    problems: ['invalid_hash'],
  },
  'POST /auth/sign-in/disown': {
    summary:
      "'This wasn't me': ends all sessions by the link of an e-mail about a sign-in, and freezes withdrawals until a sign-in with a new password.",
    access: 'visitor',
    limit: PRESSES,
    body: hash,
    reply: messageReply,
    problems: ['invalid_hash'],
  },
} as const satisfies Record<string, Endpoint>
