import { accountChanges } from './account-changes.ts'
import { adjustments } from './adjustments.ts'
import { capitalMoves } from './capital-moves.ts'
import { chats } from './chats.ts'
import { complaints } from './complaints.ts'
import { deposits } from './deposits.ts'
import { factorResets } from './factor-resets.ts'
import { identityChecks } from './identity-checks.ts'
import { instrumentChanges } from './instrument-changes.ts'
import { leverReleases } from './lever-releases.ts'
import { messages } from './messages.ts'
import { payoutResumptions } from './payout-resumptions.ts'
import { planRequests } from './plan-requests.ts'
import { proofKeys } from './proof-keys.ts'
import { reversals } from './reversals.ts'
import { strategyRestarts } from './strategy-restarts.ts'
import { venueSwitches } from './venue-switches.ts'
import { withdrawals } from './withdrawals.ts'

/** Every queue, in the order of the overview. */
export const QUEUES = [
  deposits,
  withdrawals,
  identityChecks,
  planRequests,
  messages,
  chats,
  complaints,
  adjustments,
  reversals,
  payoutResumptions,
  factorResets,
  accountChanges,
  leverReleases,
  strategyRestarts,
  instrumentChanges,
  venueSwitches,
  capitalMoves,
  proofKeys,
] as const
