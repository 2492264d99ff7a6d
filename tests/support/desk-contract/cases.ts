import type { DeskCallName } from '#contract/desk/index.ts'
import type { Case } from '#tests/support/calls.ts'
import { capitalCases } from './capital.ts'
import { complaintCases } from './complaints.ts'
import { instrumentCases } from './instruments.ts'
import { leverCases } from './levers.ts'
import { moneyCases } from './money.ts'
import type { Office } from './office.ts'
import { operatorCases } from './operators.ts'
import { payoutCases } from './payouts.ts'
import { priceListCases } from './price-lists.ts'
import { reconciliationCases } from './reconciliation.ts'
import { tradingCases } from './trading.ts'
import { userCases } from './users.ts'

/** Returns a case for every call of the desk: adding a call without a case doesn't compile. */
export const deskCases = (office: Office): Record<DeskCallName, Case> => ({
  ...operatorCases(office),
  ...userCases(office),
  ...moneyCases(office),
  ...payoutCases(office),
  ...capitalCases(office),
  ...complaintCases(office),
  ...reconciliationCases(office),
  ...leverCases(office),
  ...tradingCases(office),
  ...instrumentCases(office),
  ...priceListCases(office),
})
