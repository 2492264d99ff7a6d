import * as z from 'zod/mini'
import type { Endpoint } from '../../endpoint.ts'
import { isoTime, optionalText, usdNumber } from '../../fields.ts'
import { VERIFICATION_STATUSES } from '../../terms.ts'
import { item, Person, Reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { EXCLUSION_MATCH_STATUSES } from '../terms.ts'

/** An account on hold, because it looks like that of a self-excluded trader. */
export const DeskExclusionMatch = z.strictObject({
  ...item,
  status: z.enum(EXCLUSION_MATCH_STATUSES),
  /** The self-excluded account, and until when; null is permanent. */
  excluded: z.strictObject({ user_id: z.string(), email: z.string(), name: z.string(), until: z.nullable(isoTime) }),
  /** What both have in common, as text. */
  why: z.array(z.string()),
  /** The identity check of the account on hold; null if there was none. */
  identity: z.nullable(z.enum(VERIFICATION_STATUSES)),
  /** What is on hold: its balance, and its pending deposits. US dollars. */
  balance: usdNumber,
  pending_deposits: z.number(),
  pending_amount: usdNumber,
  /** The proposal to lift it, which a second operator decides. */
  lift: z.nullable(z.strictObject({ id: z.string(), ...Person.shape, reason: z.string(), at: isoTime })),
  /** Who found that it is the excluded trader's. */
  kept: z.nullable(z.strictObject({ ...Person.shape, reason: z.string(), at: isoTime })),
})
export type DeskExclusionMatch = z.infer<typeof DeskExclusionMatch>

/** Matches of self-excluded traders. Lifting one is a change of the account (`account-changes.ts`). */
export const exclusionMatchCalls = {
  ...queueCalls('exclusion-matches', {
    item: DeskExclusionMatch,
    summary: 'Lists accounts on hold that look like those of self-excluded traders, newest first.',
    filter: { user: optionalText(20) },
    actions: {
      keep: { summary: "Decides that the account is the excluded trader's: it stays on hold.", body: Reason },
    },
  }),
} as const satisfies Record<string, Endpoint>
