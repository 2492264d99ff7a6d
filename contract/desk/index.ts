import { accountChangeCalls } from './account-changes.ts'
import { adjustmentCalls } from './adjustments.ts'
import { auditCalls } from './audit.ts'
import { deskAuthCalls } from './auth.ts'
import { automaticTradesCalls } from './automatic.ts'
import { businessCalls } from './business.ts'
import { capitalCalls } from './capital.ts'
import { chatCalls } from './chats.ts'
import { deskComplaintCalls } from './complaints.ts'
import { depositCalls } from './deposits.ts'
import { exposureCalls } from './exposure.ts'
import { factorResetCalls } from './factor-resets.ts'
import { feedCalls } from './feeds.ts'
import { identityCheckCalls } from './identity-checks.ts'
import { inboxCalls } from './inbox.ts'
import { instrumentChangeCalls } from './instrument-changes.ts'
import { instrumentCalls } from './instruments.ts'
import { leverCalls } from './levers.ts'
import { messageCalls } from './messages.ts'
import { operatorCalls } from './operators.ts'
import { overviewCalls } from './overview.ts'
import { payoutBatchCalls } from './payout-batches.ts'
import { planRequestCalls } from './plan-requests.ts'
import { proofKeyCalls } from './proof-keys.ts'
import { reconciliationCalls } from './reconciliation.ts'
import { reversalCalls } from './reversals.ts'
import { settingsCalls } from './settings.ts'
import { strategyRestartCalls } from './strategy-restarts.ts'
import { tradeCalls } from './trades.ts'
import { userCalls } from './users.ts'
import { venueSwitchCalls } from './venue-switches.ts'
import { withdrawalCalls } from './withdrawals.ts'

/** All endpoints of the desk. */
export const deskCalls = {
  ...deskAuthCalls,
  ...operatorCalls,
  ...auditCalls,
  ...overviewCalls,
  ...inboxCalls,
  ...identityCheckCalls,
  ...planRequestCalls,
  ...messageCalls,
  ...chatCalls,
  ...depositCalls,
  ...reversalCalls,
  ...withdrawalCalls,
  ...payoutBatchCalls,
  ...deskComplaintCalls,
  ...reconciliationCalls,
  ...userCalls,
  ...adjustmentCalls,
  ...accountChangeCalls,
  ...factorResetCalls,
  ...leverCalls,
  ...strategyRestartCalls,
  ...instrumentChangeCalls,
  ...venueSwitchCalls,
  ...capitalCalls,
  ...proofKeyCalls,
  ...tradeCalls,
  ...businessCalls,
  ...exposureCalls,
  ...automaticTradesCalls,
  ...feedCalls,
  ...instrumentCalls,
  ...settingsCalls,
}
export type DeskCallName = keyof typeof deskCalls
