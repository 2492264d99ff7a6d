import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { MESSAGE, oneOf, text } from '../fields.ts'
import { VERIFICATION_STATUSES } from '../terms.ts'
import { ADDRESS_METHODS, ID_FILE_MAX_BYTES, ID_METHODS } from './auth.ts'

/** An identity check. */
export const Verification = z.strictObject({
  method: z.enum(ID_METHODS),
  status: z.enum(VERIFICATION_STATUSES),
  /** API path of the image; requires the Bearer token. */
  id_file_url: z.string(),
  reason: z.optional(z.string()),
  /** Set while an approved identity check is reopened after a profile change; withdrawals are held. */
  reopened: z.optional(z.literal(true)),
})
export type Verification = z.infer<typeof Verification>

/** A proof of address, with its own status. */
export const AddressVerification = z.strictObject({
  method: z.enum(ADDRESS_METHODS),
  status: z.enum(VERIFICATION_STATUSES),
  /** API path of the image; requires the Bearer token. */
  file_url: z.string(),
  reason: z.optional(z.string()),
})
export type AddressVerification = z.infer<typeof AddressVerification>

export const kycCalls = {
  'GET /profile/user-verification': {
    summary: 'Returns the identity check, or null.',
    access: 'user',
    reply: replyOf(z.nullable(Verification)),
    problems: [],
  },
  'POST /profile/user-verification': {
    summary: 'Submits a government ID if there is none or the last one was rejected.',
    access: 'user',
    form: z.strictObject({ method: oneOf(ID_METHODS) }),
    files: { id_file: { maxBytes: ID_FILE_MAX_BYTES, required: true, whenMissing: MESSAGE.selectFile } },
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'GET /profile/address-verification': {
    summary: 'Returns the proof of address, or null.',
    access: 'user',
    reply: replyOf(z.nullable(AddressVerification)),
    problems: [],
  },
  'POST /profile/address-verification': {
    summary: 'Submits a proof of address if there is none or the last one was rejected.',
    access: 'user',
    form: z.strictObject({ method: oneOf(ADDRESS_METHODS) }),
    files: { file: { maxBytes: ID_FILE_MAX_BYTES, required: true, whenMissing: MESSAGE.selectFile } },
    reply: messageReply,
    problems: ['wrong_state'],
  },
  'GET /profile/user-verification/file/:name': {
    summary: "Returns the image of the user's own ID or proof of address.",
    access: 'user',
    params: z.strictObject({ name: text(80) }),
    reply: 'text',
    problems: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>
