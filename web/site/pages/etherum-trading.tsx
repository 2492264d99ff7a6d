import { CoinPage } from '../coins/coin-page.tsx'
import { ETHEREUM } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'

export const etherumTradingHead = siteHead({
  path: '/etherum-trading',
  title: 'Ethereum trading',
  name: 'Ethereum Trading',
  description: 'What Ether is, what moves its price, and the conditions on which you trade it here.',
})

export function EtherumTrading() {
  return <CoinPage coin={ETHEREUM} />
}
