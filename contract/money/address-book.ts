import * as z from 'zod/mini'
import type { Endpoint } from '../endpoint.ts'
import { messageReply, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, password, personName, text, walletAddress } from '../fields.ts'
import { publicId } from '../ids.ts'
import { COINS } from '../terms.ts'
import { bankNumber } from './cashier.ts'

/** Entries of one trader's book. */
export const ADDRESSES_MAX = 50

/** An address or bank account that a trader withdraws to. */
export const PayoutAddress = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Null for a bank account. */
  currency: z.nullable(z.enum(COINS)),
  /** The address, or 'First National, account ending 1234'. */
  wallet: z.string(),
  /** The person or company whose it is; null if it's the trader's own. */
  beneficiary: z.nullable(z.string()),
  /** The service that keeps the wallet; null if its owner does. */
  hosted_by: z.nullable(z.string()),
  created_at: isoTime,
  /** From then on it can be used while withdrawals go to the book only. */
  usable_at: isoTime,
})
export type PayoutAddress = z.infer<typeof PayoutAddress>

export const AddressBook = z.strictObject({
  /** Whether withdrawals go to the book only. */
  only: z.boolean(),
  /** When that ends, once it was turned off; null otherwise. */
  off_at: z.nullable(isoTime),
  addresses: z.array(PayoutAddress),
})
export type AddressBook = z.infer<typeof AddressBook>

const name = text(LENGTH.name)
const beneficiary = z.optional(z.nullable(personName(LENGTH.bank)))

const NewAddressBody = z.strictObject({
  name,
  wallet: walletAddress,
  beneficiary,
  hosted_by: z.optional(z.nullable(personName(LENGTH.bank))),
  password,
})

const NewBankBody = z.strictObject({
  name,
  bank_name: personName(LENGTH.bank),
  account_number: bankNumber,
  routing_number: bankNumber,
  beneficiary,
  password,
})

const CHANGES = { max: 30, per: 'hour' } as const
const ADDING = [
  'invalid_credentials',
  'step_up_required',
  'email_not_confirmed',
  'already_exists',
  'limit_reached',
] as const

/** The address book for withdrawals. */
export const addressBookCalls = {
  'GET /withdraw/addresses': {
    summary: "Returns the trader's address book for withdrawals.",
    access: 'user',
    reply: replyOf(AddressBook),
    problems: [],
  },
  'POST /withdraw/addresses': {
    summary:
      'Adds a wallet to the address book, with what the travel rule asks. While withdrawals go to the book only, it can be used after 24 hours.',
    access: 'user',
    limit: CHANGES,
    body: NewAddressBody,
    reply: replyOf(PayoutAddress),
    problems: ADDING,
  },
  'POST /withdraw/addresses/bank': {
    summary: 'Adds a bank account to the address book. The numbers are stored encrypted.',
    access: 'user',
    limit: CHANGES,
    body: NewBankBody,
    reply: replyOf(PayoutAddress),
    problems: ADDING,
  },
  'DELETE /withdraw/addresses/:id': {
    summary: 'Removes an entry of the address book.',
    access: 'user',
    limit: CHANGES,
    params: z.strictObject({ id: publicId }),
    reply: messageReply,
    problems: ['not_found'],
  },
  'POST /withdraw/addresses/only': {
    summary:
      'Sets whether withdrawals go to the address book only. Turning it on acts at once, turning it off after 24 hours.',
    access: 'user',
    limit: CHANGES,
    body: z.strictObject({ only: z.boolean({ error: 'must be true or false' }), password }),
    reply: replyOf(AddressBook),
    problems: ['invalid_credentials', 'step_up_required'],
  },
} as const satisfies Record<string, Endpoint>
