export { CheckReceipt } from './check-receipt.tsx'
export { Steps } from './steps.tsx'
export { TradeChart } from './trade-chart.tsx'
export { TradeReceipt } from './trade-receipt.tsx'
