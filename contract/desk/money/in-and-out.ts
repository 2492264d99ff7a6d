import * as z from 'zod/mini'
import { type Endpoint, listOf } from '../../endpoint.ts'
import { isoTime, usdNumber } from '../../fields.ts'
import { days, list } from '../parts.ts'
import { PAGES } from '../terms.ts'

/** Money that came in or went out. */
export const DeskMoney = z.strictObject({
  id: z.string(),
  at: isoTime,
  kind: z.enum(['deposit', 'reversal', 'reinstatement', 'withdrawal']),
  user_id: z.string(),
  email: z.string(),
  /** US dollars: below 0 for what went out, or was reversed. */
  amount: usdNumber,
  /** The deposit or withdrawal. */
  item_id: z.string(),
})
export type DeskMoney = z.infer<typeof DeskMoney>

/** The rows of net deposits. */
export const inAndOutCalls = {
  'GET /desk/money': {
    summary: 'Lists credited and reversed deposits and paid withdrawals, those requested last first.',
    access: 'operator',
    mayLag: true,
    roles: PAGES.business.sees,
    query: z.strictObject({ days, ...list }),
    reply: listOf(DeskMoney),
    problems: [],
  },
} as const satisfies Record<string, Endpoint>
