import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from '../endpoint.ts'
import { email, LENGTH, optionalText, personName, text } from '../fields.ts'

/** What screens need to know about the installation before sign-in. */
export const Installation = z.strictObject({
  brand: z.string(),
  phone: z.string(),
  email: z.string(),
  /** A test installation: e-mails appear at `/mailbox`, prices may be simulated, and real trades use play money. */
  test: z.boolean(),
  mailbox: z.boolean(),
  /** The largest stake of one trade, US dollars. */
  max_stake: z.number(),
  /** URL of an external chat; null for the built-in one. */
  chat_url: z.nullable(z.string()),
})
export type Installation = z.infer<typeof Installation>

export const ContactBody = z.strictObject({
  name: personName(LENGTH.name),
  email,
  message: text(LENGTH.message),
  /** A honeypot: people never see this field, bots fill it. */
  website: optionalText(LENGTH.address),
})
export const contactMessage = "Thank you. We've received your message."

export const supportCalls = {
  'GET /public/installation': {
    summary: 'Returns the name, contact and kind of this installation.',
    access: 'visitor',
    reply: replyOf(Installation),
    problems: [],
  },
  'POST /public/contact': {
    summary: 'Sends a message to support. An operator replies by e-mail.',
    access: 'visitor',
    body: ContactBody,
    reply: messageReply,
    problems: [],
  },
  'GET /health': {
    summary: 'Returns 200 if every part is up, otherwise 503 with the names of the parts that are down.',
    access: 'visitor',
    reply: z.strictObject({ status: z.literal(true), data: z.record(z.string(), z.string()) }),
    problems: ['unavailable'],
  },
  'GET /ready': {
    summary: 'Returns 200 while this node takes new requests, and 503 once it stops. For load balancers.',
    access: 'visitor',
    reply: z.strictObject({ status: z.literal(true) }),
    problems: ['unavailable'],
  },
} as const satisfies Record<string, Endpoint>
