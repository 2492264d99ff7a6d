import * as z from 'zod/mini'
import { Session } from '../account/auth.ts'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { email, isoTime, newPassword, password, text, token } from '../fields.ts'
import { OPERATOR_ROLES } from '../terms.ts'
import { byId } from './parts.ts'

/** The signed-in operator. */
export const Operator = z.strictObject({ id: z.string(), email: z.string(), roles: z.array(z.enum(OPERATOR_ROLES)) })
export type Operator = z.infer<typeof Operator>

/** Sign-in of operators, who have separate sessions and tokens. */
export const deskAuthCalls = {
  'POST /desk/auth/join': {
    summary: 'Accepts an invitation: sets the password and returns the authenticator to enrol.',
    access: 'visitor',
    body: z.strictObject({ token: token(), password: newPassword }),
    reply: replyOf(z.strictObject({ email: z.string(), secret: z.string(), otpauth_url: z.string() })),
    problems: ['invalid_hash'],
  },
  'POST /desk/auth/join/confirm': {
    summary: "Enrols the authenticator by one of its codes and activates the operator's account.",
    access: 'visitor',
    body: z.strictObject({ token: token(), code: text(20) }),
    reply: messageReply,
    problems: ['invalid_hash', 'invalid_credentials'],
  },
  'POST /desk/auth/login': {
    summary: 'Signs an operator in for 12 hours. The session ends at once if their access ends or their roles change.',
    access: 'visitor',
    body: z.strictObject({ email, password, code: text(20), link: z.optional(token()) }),
    reply: z.strictObject({
      status: z.literal(true),
      data: Operator,
      tokens: z.strictObject({ access: z.strictObject({ token: z.string(), expires: isoTime }) }),
    }),
    problems: ['invalid_credentials', 'sign_in_link_required'],
  },
  'POST /desk/auth/logout': { summary: 'Ends this session.', access: 'operator', reply: messageReply, problems: [] },
  'GET /desk/auth/me': {
    summary: 'Returns the signed-in operator.',
    access: 'operator',
    reply: replyOf(Operator),
    problems: [],
  },
  'GET /desk/auth/sessions': {
    summary: "Lists the operator's own active sessions, newest first.",
    access: 'operator',
    reply: replyOf(z.array(Session)),
    problems: [],
  },
  'DELETE /desk/auth/sessions': {
    summary: "Ends the operator's sessions but this one.",
    access: 'operator',
    reply: messageReply,
    problems: [],
  },
  'DELETE /desk/auth/sessions/:id': {
    summary: "Ends one of the operator's own sessions.",
    access: 'operator',
    params: byId,
    reply: messageReply,
    problems: ['not_found'],
  },
  'POST /desk/auth/password': {
    summary: "Changes the operator's own password and ends their other sessions.",
    access: 'operator',
    body: z.strictObject({ current: password, password: newPassword, code: text(20) }),
    reply: messageReply,
    problems: ['invalid_credentials'],
  },
  'POST /desk/auth/authenticator': {
    summary: 'Returns a new authenticator to enrol. The present one works until the new one is confirmed.',
    access: 'operator',
    body: z.strictObject({ current: password, code: text(20) }),
    reply: replyOf(z.strictObject({ secret: z.string(), otpauth_url: z.string(), token: z.string() })),
    problems: ['invalid_credentials'],
  },
  'POST /desk/auth/authenticator/confirm': {
    summary: "Enrols the new authenticator by one of its codes and ends the operator's other sessions.",
    access: 'operator',
    body: z.strictObject({ token: text(500), code: text(20) }),
    reply: messageReply,
    problems: ['invalid_credentials', 'invalid_hash'],
  },
} as const satisfies Record<string, Endpoint>
