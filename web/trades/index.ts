export { isForSale } from './sale/sale-quote.ts'
export { SellButton } from './sale/sell-button.tsx'
export { LiveStanding, TimeLeft } from './standing.tsx'
export { TradeDetails } from './trade-details.tsx'
