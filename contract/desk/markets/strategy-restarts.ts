import * as z from 'zod/mini'
import { type Endpoint, replyOf } from '../../endpoint.ts'
import { oneOf } from '../../fields.ts'
import { STRATEGY_IDS } from '../../terms.ts'
import { proposal, Reason, reason } from '../parts.ts'
import { queueCalls } from '../queue-calls.ts'
import { PROPOSAL_STATUSES, QUEUES } from '../terms.ts'

/** Switching on a strategy of automatic trades that is off. */
export const DeskStrategyRestart = z.strictObject({
  id: z.string(),
  strategy: z.enum(STRATEGY_IDS),
  /** The strategy's name. */
  name: z.string(),
  ...proposal(PROPOSAL_STATUSES),
  /** Proposed by this operator: another operator decides. */
  own: z.boolean(),
})
export type DeskStrategyRestart = z.infer<typeof DeskStrategyRestart>

/** Switching strategies on again. */
export const strategyRestartCalls = {
  ...queueCalls('strategy-restarts', {
    item: DeskStrategyRestart,
    summary: 'Lists pending and decided strategy restarts, newest first.',
    filter: {},
    actions: {
      approve: { summary: 'Approves a strategy restart. Its followers trade from its next signal.' },
      reject: { summary: 'Rejects a strategy restart.', body: Reason },
    },
  }),
  'POST /desk/strategy-restarts': {
    summary: 'Proposes to switch a strategy on again; a second risk operator decides.',
    access: 'operator',
    roles: QUEUES['strategy-restarts'].acts,
    body: z.strictObject({ strategy: oneOf(STRATEGY_IDS), reason }),
    reply: replyOf(DeskStrategyRestart),
    problems: ['wrong_state'],
  },
} as const satisfies Record<string, Endpoint>
