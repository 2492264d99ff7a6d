import * as z from 'zod/mini'
import { isCountry } from './countries.ts'
import type { Endpoint } from './endpoint.ts'
import { messageReply, replyOf } from './endpoint.ts'
import {
  confirmPassword,
  email,
  isoTime,
  isVisible,
  LENGTH,
  MESSAGE,
  newPassword,
  oneOf,
  optionalText,
  PHONE_MIN,
  password,
  passwordsMatch,
  pastDay,
  personName,
  place,
  text,
  token,
} from './fields.ts'
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
    phone: z.optional(
      z.string({ error: 'must be text' }).check(
        z.trim(),
        z.refine((value) => value === '' || value.length >= PHONE_MIN, MESSAGE.phoneLength),
        z.maxLength(LENGTH.phone, `must be at most ${LENGTH.phone} characters long`),
        z.refine(isVisible, MESSAGE.invalid),
      ),
    ),
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

export const authCalls = {
  'POST /auth/register': {
    summary: 'Open an account. Answers the onboarding session, and mails the link that confirms the address.',
    access: 'visitor',
    body: RegisterBody,
    reply: z.strictObject({ status: z.literal(true), message: z.string(), session: z.string() }),
    problems: ['already_exists'],
  },
  'POST /auth/complete-profile': {
    summary: 'Complete the profile within an onboarding session; may be repeated until the ID is handed in.',
    access: 'visitor',
    body: CompleteProfileBody,
    reply: messageReply,
    problems: ['invalid_session'],
  },
  'POST /users/user-identification': {
    summary: 'Hand in a government ID within an onboarding session, which ends it.',
    access: 'visitor',
    form: z.strictObject({ method: oneOf(ID_METHODS), session: token(MESSAGE.sessionRequired) }),
    files: { id_file: { maxBytes: ID_FILE_MAX_BYTES, required: true, whenMissing: MESSAGE.selectFile } },
    reply: messageReply,
    problems: ['invalid_session', 'wrong_state'],
  },
  'POST /auth/login': {
    summary: 'Sign in.',
    access: 'visitor',
    body: LoginBody,
    reply: z.strictObject({ status: z.literal(true), message: z.optional(z.string()), data: User, tokens: Tokens }),
    problems: ['invalid_credentials', 'second_factor_required', 'sign_in_link_required', 'sign_in_locked'],
  },
  'POST /auth/refresh': {
    summary: 'Renew the access token through the renewal cookie.',
    access: 'visitor',
    reply: z.strictObject({ status: z.literal(true), tokens: Tokens }),
    problems: ['unauthenticated', 'forbidden'],
  },
  'POST /auth/logout': {
    summary: 'End this session.',
    access: 'visitor',
    reply: messageReply,
    problems: ['forbidden'],
  },
  'GET /auth/sessions': {
    summary: 'The living sessions of the account, newest first.',
    access: 'user',
    reply: replyOf(z.array(Session)),
    problems: [],
  },
  'DELETE /auth/sessions': {
    summary: 'End every session but this one.',
    access: 'user',
    reply: messageReply,
    problems: [],
  },
  'DELETE /auth/sessions/:id': {
    summary: 'End one session.',
    access: 'user',
    params: z.strictObject({ id: text(40) }),
    reply: messageReply,
    problems: ['not_found'],
  },
  'GET /auth/reset-password': {
    summary: 'Ask for a reset link. Answers the same for every address.',
    access: 'visitor',
    query: z.strictObject({ email }),
    reply: messageReply,
    problems: [],
  },
  'GET /auth/reset-password/details': {
    summary: 'The address that a reset link is for.',
    access: 'visitor',
    query: z.strictObject({ hash: token() }),
    reply: replyOf(z.strictObject({ email: z.string() })),
    problems: ['invalid_hash'],
  },
  'POST /auth/reset-password': {
    summary: 'Set a new password through a reset link; ends every session.',
    access: 'visitor',
    body: ResetPasswordBody,
    reply: messageReply,
    problems: ['invalid_hash'],
  },
  'POST /auth/verify-email': {
    summary: 'Confirm an address through its link.',
    access: 'visitor',
    body: z.strictObject({ hash: token() }),
    reply: messageReply,
    problems: ['invalid_hash'],
  },
  'GET /auth/verify-email': {
    summary: 'Ask for another confirmation link.',
    access: 'user',
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'PATCH /users/change-password': {
    summary: 'Change the password; ends every other session.',
    access: 'user',
    body: ChangePasswordBody,
    reply: messageReply,
    problems: ['invalid_credentials', 'step_up_required'],
  },
  'GET /users/me': { summary: 'The signed-in user.', access: 'user', reply: replyOf(User), problems: [] },
} as const satisfies Record<string, Endpoint>
