import { BitcoinTrading, bitcoinTradingHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => bitcoinTradingHead
export default BitcoinTrading
