import * as z from 'zod/mini'
import type { Endpoint } from '../endpoint.ts'
import { messageReply, replyOf } from '../endpoint.ts'
import {
  confirmPassword,
  email,
  isoTime,
  LENGTH,
  MESSAGE,
  newPassword,
  oneOf,
  optionalText,
  password,
  passwordsMatch,
  pastDay,
  personName,
  phoneOrEmpty,
  place,
  text,
  token,
} from '../fields.ts'
import { rowId } from '../ids.ts'
import { MODES } from '../terms.ts'
import { isCountry } from './countries.ts'
import { factorCode, passkeyResponse } from './second-factor.ts'
import { User } from './user.ts'

export const GENDERS = ['male', 'female', 'others'] as const
export const ID_METHODS = ['drivers_license', 'international_passport', 'national_id', 'others'] as const
export const ADDRESS_METHODS = ['utility_bill', 'bank_statement', 'tax_document', 'others'] as const
/** Maximum size of an identity document or receipt, in bytes. */
export const ID_FILE_MAX_BYTES = 5_242_880

export const country = text(LENGTH.place).check(z.refine(isCountry, MESSAGE.invalid))

export const RegisterBody = z
  .strictObject({
    firstname: personName(LENGTH.name, MESSAGE.required),
    lastname: personName(LENGTH.name, MESSAGE.required),
    email,
    phone: z.optional(phoneOrEmpty),
    referral_code: optionalText(20),
    password: newPassword,
    confirmPassword,
  })
  .check(passwordsMatch())

export const LoginBody = z.strictObject({
  email,
  password,
  remember: z.optional(z.boolean({ error: 'must be true or false' })),
  /** The second factor, if the account has one: a code, or a passkey's response. */
  code: z.optional(factorCode),
  passkey: z.optional(passkeyResponse),
  /** From the link e-mailed after `sign_in_link_required`. */
  link: z.optional(token()),
})

export const CompleteProfileBody = z.strictObject({
  gender: oneOf(GENDERS),
  date_of_birth: pastDay,
  address: place(LENGTH.address),
  city: place(LENGTH.place),
  state: place(LENGTH.place),
  country,
  session: token(MESSAGE.sessionRequired),
})

export const ResetPasswordBody = z
  .strictObject({ password: newPassword, confirmPassword, hash: token() })
  .check(passwordsMatch())

export const ChangePasswordBody = z
  .strictObject({ current: password, password: newPassword, confirmPassword })
  .check(passwordsMatch())

export const Tokens = z.strictObject({ access: z.strictObject({ token: z.string(), expires: isoTime }) })
export type Tokens = z.infer<typeof Tokens>

export const Session = z.strictObject({
  id: z.string(),
  current: z.boolean(),
  created_at: isoTime,
  last_seen_at: isoTime,
  /** A short browser description: 'Firefox on Linux'. */
  device: z.string(),
  address: z.string(),
})
export type Session = z.infer<typeof Session>

export const LoginReply = z.strictObject({
  status: z.literal(true),
  message: z.optional(z.string()),
  data: User,
  tokens: Tokens,
  /** The account mode that the trader chose last, on any device; absent until they choose one. */
  mode: z.optional(z.enum(MODES)),
})
export type LoginReply = z.infer<typeof LoginReply>

export const authCalls = {
  'POST /auth/register': {
    summary:
      'Opens an account, or keeps that of a signed-in guest, returns its onboarding session and e-mails a confirmation link.',
    access: 'visitor',
    body: RegisterBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), session: z.string() }),
    problems: ['already_exists', 'wrong_state'],
  },
  'POST /auth/complete-profile': {
    summary: 'Completes the profile in an onboarding session. Repeatable until the ID is submitted.',
    access: 'visitor',
    body: CompleteProfileBody,
    reply: messageReply,
    problems: ['invalid_session'],
  },
  'POST /users/user-identification': {
    summary: 'Submits a government ID, which ends the onboarding session.',
    access: 'visitor',
    form: z.strictObject({ method: oneOf(ID_METHODS), session: token(MESSAGE.sessionRequired) }),
    files: { id_file: { maxBytes: ID_FILE_MAX_BYTES, required: true, whenMissing: MESSAGE.selectFile } },
    reply: messageReply,
    problems: ['invalid_session', 'wrong_state'],
  },
  'POST /auth/login': {
    summary: 'Signs in.',
    access: 'visitor',
    body: LoginBody,
    reply: LoginReply,
    problems: ['invalid_credentials', 'second_factor_required', 'sign_in_link_required', 'sign_in_locked'],
  },
  'POST /auth/login/onboarding': {
    summary: 'Signs in by an onboarding session, once: it ends. Not after the address was confirmed.',
    access: 'visitor',
    limit: { max: 60, per: 'hour' },
    body: z.strictObject({ session: token(MESSAGE.sessionRequired) }),
    reply: LoginReply,
    problems: ['invalid_session', 'forbidden'],
  },
  'POST /auth/guest': {
    summary:
      'Opens a guest account of the demo, without an e-mail address or a password, and signs in. Registering keeps it.',
    access: 'visitor',
    limit: {
      max: 20,
      per: 'hour',
      message: (wait) => `Too many guests from your network. Register, or try again in ${wait}.`,
    },
    reply: LoginReply,
    problems: ['forbidden', 'wrong_state'],
  },
  'POST /auth/refresh': {
    summary: 'Renews the access token with the renewal cookie.',
    access: 'visitor',
    reply: z.strictObject({ status: z.literal(true), tokens: Tokens }),
    problems: ['unauthenticated', 'email_confirmed', 'forbidden'],
  },
  'POST /auth/logout': {
    summary: 'Ends this session.',
    access: 'visitor',
    reply: messageReply,
    problems: ['forbidden'],
  },
  'GET /auth/sessions': {
    summary: 'Lists active sessions, newest first.',
    access: 'user',
    reply: replyOf(z.array(Session)),
    problems: [],
  },
  'DELETE /auth/sessions': {
    summary: 'Ends every session but this one.',
    access: 'user',
    reply: messageReply,
    problems: [],
  },
  'DELETE /auth/sessions/:id': {
    summary: 'Ends one session.',
    access: 'user',
    params: z.strictObject({ id: rowId }),
    reply: messageReply,
    problems: ['not_found'],
  },
  'GET /auth/reset-password': {
    summary: 'E-mails a password reset link. The response is the same for every address.',
    access: 'visitor',
    query: z.strictObject({ email }),
    reply: messageReply,
    problems: [],
  },
  'GET /auth/reset-password/details': {
    summary: 'Returns the e-mail address of a reset link.',
    access: 'visitor',
    query: z.strictObject({ hash: token() }),
    reply: replyOf(z.strictObject({ email: z.string() })),
    problems: ['invalid_hash'],
  },
  'POST /auth/reset-password': {
    summary: 'Sets a new password through a reset link and ends all sessions.',
    access: 'visitor',
    body: ResetPasswordBody,
    reply: messageReply,
    problems: ['invalid_hash'],
  },
  'POST /auth/verify-email': {
    summary: 'Confirms the e-mail address that a link was sent to.',
    access: 'visitor',
    body: z.strictObject({ hash: token() }),
    reply: messageReply,
    problems: ['invalid_hash', 'wrong_state'],
  },
  'POST /auth/disown-email': {
    summary: 'Closes an unconfirmed account by the link of its confirmation e-mail, and frees the address.',
    access: 'visitor',
    body: z.strictObject({ hash: token() }),
    reply: messageReply,
    problems: ['invalid_hash', 'wrong_state'],
  },
  'GET /auth/verify-email': {
    summary: 'E-mails another confirmation link.',
    access: 'user',
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'PATCH /users/change-password': {
    summary: 'Changes the password and ends all other sessions.',
    access: 'user',
    body: ChangePasswordBody,
    reply: messageReply,
    problems: ['invalid_credentials', 'step_up_required'],
  },
  'GET /users/me': {
    summary: 'Returns the signed-in user.',
    access: 'user',
    guests: true,
    reply: replyOf(User),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
