import { RippleTrading, rippleTradingHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => rippleTradingHead
export default RippleTrading
