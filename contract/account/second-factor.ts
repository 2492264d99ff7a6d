import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, password, place, text, token } from '../fields.ts'

/**
 * The response of a browser's authenticator: JSON as defined by WebAuthn level 3, validated by the server's library.
 */
export const passkeyResponse = z.looseObject({ id: z.string(), type: z.literal('public-key') })

/** A code of an authenticator app (six digits) or a recovery code. */
export const factorCode = text(LENGTH.factorCode)

export const Passkey = z.strictObject({
  id: z.string(),
  name: z.string(),
  created_at: isoTime,
  last_used_at: z.nullable(isoTime),
})
export type Passkey = z.infer<typeof Passkey>

export const SecondFactor = z.strictObject({
  /** Whether sign-in requires it. */
  on: z.boolean(),
  totp: z.boolean(),
  passkeys: z.array(Passkey),
  recovery_codes_left: z.number(),
  /** Set while a reset by support is pending; the trader can stop it until then. */
  reset: z.nullable(z.strictObject({ takes_effect_at: isoTime })),
})
export type SecondFactor = z.infer<typeof SecondFactor>

/** Options for `navigator.credentials`, created and read by libraries on both sides. */
const webAuthnOptions = z.looseObject({ challenge: z.string() })
const recoveryCodes = z.strictObject({ recovery_codes: z.array(z.string()) })

export const secondFactorCalls = {
  'GET /auth/2fa': {
    summary: 'Returns the second factors.',
    access: 'user',
    reply: replyOf(SecondFactor),
    problems: [],
  },
  'POST /auth/2fa/totp': {
    summary: 'Starts the set-up of an authenticator app and returns its secret. A code must confirm it.',
    access: 'user',
    body: z.strictObject({ password }),
    reply: replyOf(z.strictObject({ secret: z.string(), otpauth_url: z.string() })),
    problems: ['invalid_credentials', 'step_up_required', 'email_not_confirmed'],
  },
  'POST /auth/2fa/totp/confirm': {
    summary: 'Confirms the authenticator app with a code. Returns recovery codes if there were none.',
    access: 'user',
    body: z.strictObject({ code: factorCode }),
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: recoveryCodes }),
    problems: ['wrong_state', 'invalid_credentials', 'email_not_confirmed'],
  },
  'DELETE /auth/2fa/totp': {
    summary: 'Removes the authenticator app.',
    access: 'user',
    reply: messageReply,
    problems: ['not_found', 'step_up_required'],
  },
  'POST /auth/2fa/recovery-codes': {
    summary: 'Creates new recovery codes and invalidates the previous ones.',
    access: 'user',
    reply: replyOf(recoveryCodes),
    problems: ['wrong_state', 'step_up_required'],
  },
  'POST /auth/2fa/passkeys/options': {
    summary: 'Returns the options to create a passkey.',
    access: 'user',
    body: z.strictObject({ password }),
    reply: replyOf(webAuthnOptions),
    problems: ['invalid_credentials', 'step_up_required', 'limit_reached', 'email_not_confirmed'],
  },
  'POST /auth/2fa/passkeys': {
    summary: 'Registers the passkey that the browser created. Returns recovery codes if there were none.',
    access: 'user',
    body: z.strictObject({ name: place(LENGTH.name), response: passkeyResponse }),
    reply: z.strictObject({ status: z.literal(true), message: z.string(), data: recoveryCodes }),
    problems: ['invalid_credentials', 'wrong_state', 'email_not_confirmed'],
  },
  'DELETE /auth/2fa/passkeys/:id': {
    summary: 'Removes a passkey.',
    access: 'user',
    params: z.strictObject({ id: text(20) }),
    reply: messageReply,
    problems: ['not_found', 'step_up_required'],
  },
  'DELETE /auth/2fa/reset': {
    summary: 'Stops a pending removal of the second factors.',
    access: 'user',
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'POST /auth/2fa/reset/stop': {
    summary: 'Stops a pending removal of the second factors through the e-mailed link.',
    access: 'visitor',
    body: z.strictObject({ hash: token() }),
    reply: messageReply,
    problems: ['invalid_hash', 'wrong_state'],
  },
  'POST /auth/login/passkey-options': {
    summary: 'Returns the passkey options for a sign-in with password and passkey.',
    access: 'visitor',
    body: z.strictObject({ email: text(LENGTH.email), password, link: z.optional(token()) }),
    reply: replyOf(webAuthnOptions),
    problems: ['invalid_credentials', 'sign_in_link_required', 'wrong_state'],
  },
  'POST /auth/step-up/passkey-options': {
    summary: 'Returns the passkey options for a step-up.',
    access: 'user',
    reply: replyOf(webAuthnOptions),
    problems: ['wrong_state'],
  },
  'POST /auth/step-up': {
    summary:
      'Confirms the call that was just rejected with 428. Returns the value to send as `X-Step-Up` with that same call, once, within 5 minutes.',
    access: 'user',
    body: z.strictObject({ code: z.optional(factorCode), passkey: z.optional(passkeyResponse) }),
    reply: replyOf(z.strictObject({ token: z.string(), expires: isoTime })),
    problems: ['invalid_credentials', 'wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
