import { LitecoinTrading, litecoinTradingHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => litecoinTradingHead
export default LitecoinTrading
