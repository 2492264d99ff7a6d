import { CoinPage } from '../coins/coin-page.tsx'
import { LITECOIN } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'

export const litecoinTradingHead = siteHead({
  path: '/litecoin-trading',
  title: 'Litecoin trading',
  name: 'Litecoin Trading',
  description: 'What Litecoin is, what moves its price, and the terms on which you trade it here.',
})

export function LitecoinTrading() {
  return <CoinPage coin={LITECOIN} />
}
