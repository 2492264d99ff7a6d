export { WithdrawHistory } from './withdraw-history.tsx'
