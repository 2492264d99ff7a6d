import type { Case } from '#tests/support/calls.ts'
import type { AccountCall, CallName, ContractScene } from '#tests/support/contract.ts'
import { addressBookCases } from './address-book.ts'
import { alertCases } from './alerts.ts'
import { complaintCases } from './complaints.ts'
import { guardrailsCases } from './guardrails.ts'
import { moneyCases } from './money.ts'
import { ownStrategiesCases } from './own-strategies.ts'
import { tradingCases } from './trading.ts'
import { waitingCases } from './waiting.ts'
import { webhookCases } from './webhooks.ts'

/** Returns a case for each call that isn't about the account: adding a call without a case doesn't compile. */
export const otherCases = (scene: ContractScene): Record<Exclude<CallName, AccountCall>, Case> => ({
  ...addressBookCases(scene),
  ...moneyCases(scene),
  ...alertCases(scene),
  ...complaintCases(scene),
  ...guardrailsCases(scene),
  ...ownStrategiesCases(scene),
  ...tradingCases(scene),
  ...waitingCases(scene),
  ...webhookCases(scene),
})
