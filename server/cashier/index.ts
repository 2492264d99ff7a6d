export { bankOf, sealedBanks } from './bank.ts'
export { closeCheckout } from './card.ts'
export { type CoinSource, deriveAddress, readCoinSource } from './coin-source.ts'
export {
  type ApproveDeposit,
  approveDeposit,
  creditCardDeposit,
  type DepositDone,
  isReversedAlready,
  type ReverseDeposit,
  rejectDeposit,
  reverseDeposit,
  revokeDepositApproval,
} from './decide-deposit.ts'
export {
  approveWithdrawal,
  payWithdrawal,
  rejectWithdrawal,
  revokeWithdrawalApproval,
  type WithdrawalDone,
} from './decide-withdrawal.ts'
export { approvalsNeeded, DEPOSIT_NEXT, standingOfDeposit } from './deposit.ts'
export { type DeriveAddress, settingsAddresses } from './deposit-address.ts'
export type { AddressFor, CardProvider, CashierDeps, DecideDeps } from './deps.ts'
export { type CashierLimits, cashierLimits } from './limits.ts'
export type { Operator } from './operator.ts'
export {
  type BookDifference,
  haltPayouts,
  lockPayoutHalt,
  noteCleanBooks,
  type PayoutHalt,
  payoutHalt,
  payoutHaltsSince,
  refuseStandingDifference,
  resumePayouts,
} from './payout-halts.ts'
export { receiptOf } from './receipt.ts'
export { cashierRoutes } from './routes.ts'
export { readSettings, setSettings } from './settings.ts'
export {
  depositById,
  depositedSince,
  depositMethods,
  hasOpenRequest,
  withdrawalById,
  withdrawalMethods,
} from './store.ts'
export { stripeCards } from './stripe.ts'
export { toDeposit, toWithdrawal, walletOf } from './view.ts'
export { coinOf } from './wallet.ts'
export { standingOfWithdrawal, WITHDRAWAL_NEXT } from './withdrawal.ts'
