import { CoinPage } from '../coins/coin-page.tsx'
import { ETHEREUM } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'

const head = siteHead({
  path: '/etherum-trading',
  title: 'Ethereum trading',
  name: 'Ethereum Trading',
  description: 'What Ether is, what moves its price, and the conditions on which you trade it here.',
})

export const handle = { still: true }
export const meta = () => head

export default function EtherumTrading() {
  return <CoinPage coin={ETHEREUM} />
}
