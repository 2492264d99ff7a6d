export { trustedOf } from './check.ts'
export { CheckReceipt, type PublishedKeys } from './check-receipt.tsx'
export { TradeReceipt } from './trade-receipt.tsx'
