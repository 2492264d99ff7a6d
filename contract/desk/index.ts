import { deskAuthCalls } from './auth.ts'
import { inboxCalls } from './inbox.ts'
import { automaticTradesCalls } from './markets/automatic.ts'
import { exposureCalls } from './markets/exposure.ts'
import { feedCalls } from './markets/feeds.ts'
import { instrumentChangeCalls } from './markets/instrument-changes.ts'
import { instrumentCalls } from './markets/instruments.ts'
import { leverCalls } from './markets/levers.ts'
import { deskPriceListCalls } from './markets/price-lists.ts'
import { publishedStrategyCalls } from './markets/published-strategies.ts'
import { strategyRestartCalls } from './markets/strategy-restarts.ts'
import { tradeCalls } from './markets/trades.ts'
import { venueSwitchCalls } from './markets/venue-switches.ts'
import { adjustmentCalls } from './money/adjustments.ts'
import { businessCalls } from './money/business.ts'
import { capitalCalls } from './money/capital.ts'
import { depositCalls } from './money/deposits.ts'
import { inAndOutCalls } from './money/in-and-out.ts'
import { payoutBatchCalls } from './money/payout-batches.ts'
import { planRequestCalls } from './money/plan-requests.ts'
import { reconciliationCalls } from './money/reconciliation.ts'
import { reversalCalls } from './money/reversals.ts'
import { unknownDepositCalls } from './money/unknown-deposits.ts'
import { withdrawalCalls } from './money/withdrawals.ts'
import { auditCalls } from './office/audit.ts'
import { operatorCalls } from './office/operators.ts'
import { proofKeyCalls } from './office/proof-keys.ts'
import { settingsCalls } from './office/settings.ts'
import { overviewCalls } from './overview.ts'
import { accountChangeCalls } from './people/account-changes.ts'
import { chatCalls } from './people/chats.ts'
import { deskComplaintCalls } from './people/complaints.ts'
import { exclusionMatchCalls } from './people/exclusion-matches.ts'
import { factorResetCalls } from './people/factor-resets.ts'
import { identityCheckCalls } from './people/identity-checks.ts'
import { messageCalls } from './people/messages.ts'
import { userCalls } from './people/users.ts'

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
  ...unknownDepositCalls,
  ...reversalCalls,
  ...withdrawalCalls,
  ...payoutBatchCalls,
  ...deskComplaintCalls,
  ...reconciliationCalls,
  ...userCalls,
  ...adjustmentCalls,
  ...accountChangeCalls,
  ...exclusionMatchCalls,
  ...factorResetCalls,
  ...leverCalls,
  ...strategyRestartCalls,
  ...instrumentChangeCalls,
  ...venueSwitchCalls,
  ...deskPriceListCalls,
  ...capitalCalls,
  ...proofKeyCalls,
  ...tradeCalls,
  ...businessCalls,
  ...inAndOutCalls,
  ...exposureCalls,
  ...automaticTradesCalls,
  ...publishedStrategyCalls,
  ...feedCalls,
  ...instrumentCalls,
  ...settingsCalls,
}
export type DeskCallName = keyof typeof deskCalls
