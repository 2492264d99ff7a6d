import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { text, usdAmount, usdNumber, walletAddress } from '../../fields.ts'
import { flag, proposal, Reason, reason } from '../parts.ts'
import { decisionCalls } from '../queue-calls.ts'
import { PAGES, PROPOSAL_STATUSES } from '../terms.ts'

const address = z.optional(z.nullable(walletAddress))

/** The settings that can be changed. */
export const SettingsChanges = z.strictObject({
  stake_max: z.optional(usdAmount()),
  open_stake_max: z.optional(usdAmount()),
  /** The largest open real stake on a symbol; null removes the limit. */
  symbol_limits: z.optional(
    z
      .array(z.strictObject({ symbol: text(20), open_max: z.nullable(usdAmount(0)) }), { error: 'must be a list' })
      .check(
        z.maxLength(100, 'must be at most 100'),
        z.refine((rows) => new Set(rows.map((row) => row.symbol)).size === rows.length, 'must name each symbol once'),
      ),
  ),
  /** The share of the equity that the house may lose in one scenario, percent. */
  worst_loss_percent: z.optional(
    z
      .number({ error: 'must be a number' })
      .check(
        z.refine(
          (value) => Number.isInteger(value) && value >= 1 && value <= 100,
          'must be a whole number from 1 to 100',
        ),
      ),
  ),
  /** The most that the house may lose on a factor or symbol in one direction; null removes the limit. */
  loss_limits: z.optional(
    z.array(z.strictObject({ name: text(20), loss_max: z.nullable(usdAmount(0)) }), { error: 'must be a list' }).check(
      z.maxLength(100, 'must be at most 100'),
      z.refine((rows) => new Set(rows.map((row) => row.name)).size === rows.length, 'must name each once'),
    ),
  ),
  deposit_two_person_amount: z.optional(usdAmount(0)),
  withdraw_two_person_amount: z.optional(usdAmount(0)),
  /** What one operator may approve alone in 24 hours, over all traders. */
  deposit_operator_day_amount: z.optional(usdAmount(0)),
  withdraw_operator_day_amount: z.optional(usdAmount(0)),
  withdrawals_need_identity: flag,
  btc_address: address,
  eth_address: address,
})
export type SettingsChanges = z.output<typeof SettingsChanges>

export const SettingsBody = z.strictObject({ ...SettingsChanges.shape, reason })
export type SettingsBody = z.input<typeof SettingsBody>

export const DeskSettingsChange = z.strictObject({
  id: z.string(),
  /** The proposed settings, and their values at the time of the proposal. */
  changes: z.record(z.string(), z.unknown()),
  before: z.record(z.string(), z.unknown()),
  ...proposal(PROPOSAL_STATUSES),
  own: z.boolean(),
})
export type DeskSettingsChange = z.infer<typeof DeskSettingsChange>

export const DeskSettings = z.strictObject({
  stake_max: usdNumber,
  open_stake_max: usdNumber,
  symbol_limits: z.array(z.strictObject({ symbol: z.string(), open_max: usdNumber, open: usdNumber })),
  worst_loss_percent: z.number(),
  loss_limits: z.array(z.strictObject({ name: z.string(), loss_max: usdNumber })),
  deposit_two_person_amount: usdNumber,
  withdraw_two_person_amount: usdNumber,
  deposit_operator_day_amount: usdNumber,
  withdraw_operator_day_amount: usdNumber,
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
    summary: 'Returns the settings and the changes that need a second admin.',
    access: 'operator',
    roles: PAGES.settings.sees,
    reply: replyOf(DeskSettings),
    problems: [],
  },
  'PATCH /desk/settings': {
    summary: 'Proposes to change settings; a second admin decides.',
    access: 'operator',
    roles: PAGES.settings.acts,
    body: SettingsBody,
    reply: replyOf(DeskSettingsChange),
    problems: ['wrong_state', 'idempotency_mismatch'],
    idempotent: true,
  },
  ...decisionCalls(
    'settings/changes',
    {
      item: DeskSettingsChange,
      acts: PAGES.settings.acts,
      // Settings belong to no one, so there is no own item.
      problems: ['not_found', 'wrong_state', 'second_person_required'],
    },
    {
      approve: { summary: 'Approves a change of settings, which takes effect at once.', idempotent: true },
      reject: { summary: 'Rejects a change of settings.', body: Reason, idempotent: true },
    },
  ),
} as const satisfies Record<string, Endpoint>
