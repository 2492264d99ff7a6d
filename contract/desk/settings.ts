import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../endpoint.ts'
import { isoTime, LENGTH, text, usdAmount, usdNumber } from '../fields.ts'
import { actionRow, admin, flag, Person, Reason, reason } from './parts.ts'
import { PROPOSAL_STATUSES } from './terms.ts'

const address = z.optional(z.nullable(text(LENGTH.wallet)))

export const SettingsBody = z.strictObject({
  stake_max: z.optional(usdAmount()),
  open_stake_max: z.optional(usdAmount()),
  /** The largest open stake of the real book on a symbol; null removes the limit. */
  symbol_limits: z.optional(
    z
      .array(z.strictObject({ symbol: text(20), open_max: z.nullable(usdAmount(0)) }), { error: 'must be a list' })
      .check(
        z.maxLength(100, 'must be at most 100'),
        z.refine((rows) => new Set(rows.map((row) => row.symbol)).size === rows.length, 'must name each symbol once'),
      ),
  ),
  deposit_two_person_amount: z.optional(usdAmount(0)),
  withdraw_two_person_amount: z.optional(usdAmount(0)),
  withdrawals_need_identity: flag,
  btc_address: address,
  eth_address: address,
  reason,
})
export type SettingsBody = z.infer<typeof SettingsBody>

export const DeskSettingsChange = z.strictObject({
  id: z.string(),
  /** The proposed settings, and their values at the time of the proposal. */
  changes: z.record(z.string(), z.unknown()),
  before: z.record(z.string(), z.unknown()),
  reason: z.string(),
  status: z.enum(PROPOSAL_STATUSES),
  proposed_by: Person,
  created_at: isoTime,
  decided_by: z.nullable(Person),
  decided_at: z.optional(isoTime),
  decision_reason: z.optional(z.string()),
  own: z.boolean(),
})
export type DeskSettingsChange = z.infer<typeof DeskSettingsChange>

export const DeskSettings = z.strictObject({
  stake_max: usdNumber,
  open_stake_max: usdNumber,
  symbol_limits: z.array(z.strictObject({ symbol: z.string(), open_max: usdNumber, open: usdNumber })),
  deposit_two_person_amount: usdNumber,
  withdraw_two_person_amount: usdNumber,
  withdrawals_need_identity: z.boolean(),
  btc_address: z.nullable(z.string()),
  eth_address: z.nullable(z.string()),
  /** Changes that need a second admin. */
  waiting: z.array(DeskSettingsChange),
})
export type DeskSettings = z.infer<typeof DeskSettings>

/** Settings and their proposed changes. */
export const settingsCalls = {
  'GET /desk/settings': {
    summary: 'What the operator has set, and the changes that wait for a second admin.',
    access: 'operator',
    roles: ['admin', 'finance', 'risk', 'auditor'],
    reply: replyOf(DeskSettings),
    problems: [],
  },
  'PATCH /desk/settings': {
    summary: 'Propose a change; all of them touch money, so a second admin decides.',
    access: 'operator',
    roles: admin,
    body: SettingsBody,
    reply: replyOf(DeskSettingsChange),
    problems: ['wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/settings/changes/:id/approve': {
    ...actionRow('Approve a change of the settings, which takes effect at once.', admin, replyOf(DeskSettingsChange)),
    problems: ['not_found', 'wrong_state', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
  'POST /desk/settings/changes/:id/reject': {
    ...actionRow('Reject a change of the settings.', admin, replyOf(DeskSettingsChange)),
    body: Reason,
    problems: ['not_found', 'wrong_state', 'second_person_required', 'idempotency_mismatch'],
    idempotent: true,
  },
} as const satisfies Record<string, Endpoint>
