import { adjustmentCalls } from './adjustments.ts'
import { auditCalls } from './audit.ts'
import { deskAuthCalls } from './auth.ts'
import { chatCalls } from './chats.ts'
import { depositCalls } from './deposits.ts'
import { exposureCalls } from './exposure.ts'
import { factorResetCalls } from './factor-resets.ts'
import { feedCalls } from './feeds.ts'
import { identityCheckCalls } from './identity-checks.ts'
import { messageCalls } from './messages.ts'
import { operatorCalls } from './operators.ts'
import { overviewCalls } from './overview.ts'
import { planRequestCalls } from './plan-requests.ts'
import { reversalCalls } from './reversals.ts'
import { settingsCalls } from './settings.ts'
import { tradeCalls } from './trades.ts'
import { userCalls } from './users.ts'
import { withdrawalCalls } from './withdrawals.ts'

/** All endpoints of the desk. */
export const deskCalls = {
  ...deskAuthCalls,
  ...operatorCalls,
  ...auditCalls,
  ...overviewCalls,
  ...identityCheckCalls,
  ...planRequestCalls,
  ...messageCalls,
  ...chatCalls,
  ...depositCalls,
  ...reversalCalls,
  ...withdrawalCalls,
  ...userCalls,
  ...adjustmentCalls,
  ...factorResetCalls,
  ...tradeCalls,
  ...exposureCalls,
  ...feedCalls,
  ...settingsCalls,
}
export type DeskCallName = keyof typeof deskCalls
