export { TradeHistory } from './trade-history.tsx'
