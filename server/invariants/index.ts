import { accountChecks } from './accounts.ts'
import { alertChecks } from './alerts.ts'
import { automaticChecks } from './automatic.ts'
import { cashierChecks } from './cashier.ts'
import { complaintChecks } from './complaints.ts'
import { deskChecks } from './desk.ts'
import { guardrailsChecks } from './guardrails.ts'
import { guestChecks } from './guests.ts'
import { planChecks } from './plans.ts'
import { riskChecks } from './risk.ts'
import { signalChecks } from './signals.ts'
import { tradingChecks } from './trading.ts'
import { waitingChecks } from './waiting.ts'

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
export { lateTrades } from './late-trades.ts'
export { type Reconciliation, startReconciliation } from './reconciliation.ts'
