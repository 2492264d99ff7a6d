import { BitcoinCash, bitcoinCashHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => bitcoinCashHead
export default BitcoinCash
