export { DepositHistory } from './deposit-history.tsx'
export { DepositsUnderWay } from './deposits-under-way.tsx'
export { WithdrawHistory } from './withdraw-history.tsx'
export { WithdrawalsUnderWay } from './withdrawals-under-way.tsx'
