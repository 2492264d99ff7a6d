import { instrumentChanges } from './markets/instrument-changes.ts'
import { leverReleases } from './markets/lever-releases.ts'
import { priceListChanges } from './markets/price-lists.ts'
import { strategyRestarts } from './markets/strategy-restarts.ts'
import { venueSwitches } from './markets/venue-switches.ts'
import { adjustments } from './money/adjustments.ts'
import { capitalMoves } from './money/capital-moves.ts'
import { deposits } from './money/deposits.ts'
import { payoutResumptions } from './money/payout-resumptions.ts'
import { planRequests } from './money/plan-requests.ts'
import { reversals } from './money/reversals.ts'
import { unknownDeposits } from './money/unknown-deposits.ts'
import { withdrawals } from './money/withdrawals.ts'
import { accountChanges } from './people/account-changes.ts'
import { chats } from './people/chats.ts'
import { complaints } from './people/complaints.ts'
import { exclusionMatches } from './people/exclusion-matches.ts'
import { factorResets } from './people/factor-resets.ts'
import { identityChecks } from './people/identity-checks.ts'
import { messages } from './people/messages.ts'
import { proofKeys } from './proof-keys.ts'

/** Every queue, in the order of the overview. */
export const QUEUES = [
  deposits,
  unknownDeposits,
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
  exclusionMatches,
  leverReleases,
  strategyRestarts,
  instrumentChanges,
  venueSwitches,
  priceListChanges,
  capitalMoves,
  proofKeys,
] as const
