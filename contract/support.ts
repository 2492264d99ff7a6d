import * as z from 'zod/mini'
import { type Endpoint, messageReply, replyOf } from './endpoint.ts'
import { email, LENGTH, optionalText, personName, text } from './fields.ts'

/** What the screens must know of the installation before anyone signs in. */
export const Installation = z.strictObject({
  brand: z.string(),
  phone: z.string(),
  email: z.string(),
  /** A newcomer's machine: mails are read at `/mailbox`, prices may be simulated, real trades are play. */
  test: z.boolean(),
  mailbox: z.boolean(),
  /** The largest stake of one trade, US dollars. */
  max_stake: z.number(),
  /** Another chat in place of ours; null for ours. */
  chat_url: z.nullable(z.string()),
})
export type Installation = z.infer<typeof Installation>

export const ContactBody = z.strictObject({
  name: personName(LENGTH.name),
  email,
  message: text(LENGTH.message),
  /** A trap: people never see this field, robots fill it. */
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
