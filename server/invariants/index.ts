import { accountChecks } from './checks/accounts.ts'
import { alertChecks } from './checks/alerts.ts'
import { automaticChecks } from './checks/automatic.ts'
import { cashierChecks } from './checks/cashier.ts'
import { complaintChecks } from './checks/complaints.ts'
import { deskChecks } from './checks/desk.ts'
import { guardrailsChecks } from './checks/guardrails.ts'
import { guestChecks } from './checks/guests.ts'
import { planChecks } from './checks/plans.ts'
import { riskChecks } from './checks/risk.ts'
import { signalChecks } from './checks/signals.ts'
import { tradingChecks } from './checks/trading.ts'
import { waitingChecks } from './checks/waiting.ts'

/** The invariants that join the tables of several rooms. */
export const crossRoomChecks = [
  ...planChecks,
  ...cashierChecks,
  ...tradingChecks,
  ...signalChecks,
  ...automaticChecks,
  ...complaintChecks,
  ...guardrailsChecks,
  ...guestChecks,
  ...accountChecks,
  ...deskChecks,
  ...riskChecks,
  ...alertChecks,
  ...waitingChecks,
]

export { brokenRows, rowText } from './broken-rows.ts'
export { lateTrades } from './checks/late-trades.ts'
export { type Reconciliation, startReconciliation } from './reconciliation.ts'
