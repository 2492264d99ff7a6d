import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from './endpoint.ts'
import { email, LENGTH, optionalText, personName, text } from './fields.ts'

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
export const contactMessage = 'Thank you. Your message was sent.'

export const supportCalls = {
  'GET /public/installation': {
    summary: 'Name, contact and kind of this installation.',
    access: 'visitor',
    reply: replyOf(Installation),
    problems: [],
  },
  'POST /public/contact': {
    summary: 'Write to the support; an operator answers by mail.',
    access: 'visitor',
    body: ContactBody,
    reply: messageReply,
    problems: [],
  },
  'GET /health': {
    summary: '200 when every part is up, else 503 with the names of those that are not.',
    access: 'visitor',
    reply: z.strictObject({ status: z.literal(true), data: z.record(z.string(), z.string()) }),
    problems: ['unavailable'],
  },
} as const satisfies Record<string, Endpoint>
