import { CoinPage } from '../coins/coin-page.tsx'
import { BITCOIN_CASH } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'

const head = siteHead({
  path: '/bitcoin-cash',
  title: 'Bitcoin Cash trading',
  name: 'Bitcoin Cash',
  description: 'What Bitcoin Cash is, what moves its price, and the terms on which you trade it here.',
})

export const handle = { still: true }
export const meta = () => head

export default function BitcoinCash() {
  return <CoinPage coin={BITCOIN_CASH} />
}
