export { QuickTrading } from './quick-trading.tsx'
