import { EtherumTrading, etherumTradingHead } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = () => etherumTradingHead
export default EtherumTrading
