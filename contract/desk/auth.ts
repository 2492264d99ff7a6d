import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { email, isoTime, newPassword, password, text, token } from '../fields.ts'
import { OPERATOR_ROLES } from '../terms.ts'

/** The signed-in operator. */
export const Operator = z.strictObject({ id: z.string(), email: z.string(), roles: z.array(z.enum(OPERATOR_ROLES)) })
export type Operator = z.infer<typeof Operator>

/** Sign-in of operators, who have separate sessions and tokens. */
export const deskAuthCalls = {
  'POST /desk/auth/join': {
    summary: 'Take up an invitation: chooses the password, and answers the authenticator to enrol.',
    access: 'visitor',
    body: z.strictObject({ token: token(), password: newPassword }),
    reply: replyOf(z.strictObject({ email: z.string(), secret: z.string(), otpauth_url: z.string() })),
    problems: ['invalid_hash'],
  },
  'POST /desk/auth/join/confirm': {
    summary: "Enrol the authenticator by one of its codes: from now on the operator's account works.",
    access: 'visitor',
    body: z.strictObject({ token: token(), code: text(20) }),
    reply: messageReply,
    problems: ['invalid_hash', 'invalid_credentials'],
  },
  'POST /desk/auth/login': {
    summary: 'Sign in at the desk: 12 hours, ended at once when the operator is or his roles change.',
    access: 'visitor',
    body: z.strictObject({ email, password, code: text(20), link: z.optional(token()) }),
    reply: z.strictObject({
      status: z.literal(true),
      data: Operator,
      tokens: z.strictObject({ access: z.strictObject({ token: z.string(), expires: isoTime }) }),
    }),
    problems: ['invalid_credentials', 'sign_in_link_required'],
  },
  'POST /desk/auth/logout': { summary: 'End this session.', access: 'operator', reply: messageReply, problems: [] },
  'GET /desk/auth/me': {
    summary: 'The operator who is signed in.',
    access: 'operator',
    reply: replyOf(Operator),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
