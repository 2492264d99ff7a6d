export { hasOpenRequest } from './decisions.ts'
export { recordArrival } from './deposits/arrival.ts'
export { closeCheckout, startClosingDeposits } from './deposits/card.ts'
export { closeUncredited, followAssigned } from './deposits/card-event.ts'
export { type CoinSource, deriveAddress, readCoinSource } from './deposits/coin-source.ts'
export {
  approveDeposit,
  type DepositDone,
  isReversedAlready,
  rejectDeposit,
  reverseDeposit,
  revokeDepositApproval,
} from './deposits/decide-deposit.ts'
export { approvalsNeeded, rateUntil, standingOfDeposit } from './deposits/deposit.ts'
export { settingsAddresses } from './deposits/deposit-address.ts'
export { paymentProofOf } from './deposits/payment-proof.ts'
export { depositById, depositedSince, depositMethods } from './deposits/store.ts'
export { stripeCards } from './deposits/stripe.ts'
export { assignUnknown, returnUnknown, storeUnknownCoins } from './deposits/unknown-deposit.ts'
export type { CardProvider, CashierDeps, DecideDeps } from './deps.ts'
export { cashierLimits } from './limits.ts'
export { creditTime, payoutTime } from './measured-times.ts'
export { cashierRoutes } from './routes.ts'
export { readSettings, setSettings } from './settings.ts'
export { walletOf } from './view.ts'
export { bankOf, sealedBanks } from './withdrawals/bank.ts'
export { afterBusinessDays, afterBusinessDaysSql } from './withdrawals/business-days.ts'
export {
  approveWithdrawal,
  fixCoins,
  payWithdrawal,
  putIntoBatch,
  rejectWithdrawal,
  revokeWithdrawalApproval,
  takeOutOfBatch,
  type WithdrawalDone,
} from './withdrawals/decide-withdrawal.ts'
export {
  type BookDifference,
  haltPayouts,
  noteCleanBooks,
  payoutHalt,
  payoutHaltsSince,
  refuseStandingDifference,
  resumePayouts,
} from './withdrawals/payout-halts.ts'
export {
  inLockOrder,
  insertBatch,
  withdrawalById,
  withdrawalMethods,
  withdrawalsForBatch,
} from './withdrawals/store.ts'
export { oldestUnpaidSeconds } from './withdrawals/unpaid.ts'
export { standingOfWithdrawal } from './withdrawals/withdrawal.ts'
