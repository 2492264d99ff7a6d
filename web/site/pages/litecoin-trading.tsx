import { CoinPage } from '../coins/coin-page.tsx'
import { LITECOIN } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'

const head = siteHead({
  path: '/litecoin-trading',
  title: 'Litecoin trading',
  name: 'Litecoin Trading',
  description: 'What Litecoin is, what moves its price, and the terms on which you trade it here.',
})

export const handle = { still: true }
export const meta = () => head

export default function LitecoinTrading() {
  return <CoinPage coin={LITECOIN} />
}
