import { CoinPage } from '../coins/coin-page.tsx'
import { RIPPLE } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'

const head = siteHead({
  path: '/ripple-trading',
  title: 'Ripple trading',
  name: 'Ripple Trading',
  description: 'What XRP is, what moves its price, and the terms on which you trade it here.',
})

export const handle = { still: true }
export const meta = () => head

export default function RippleTrading() {
  return <CoinPage coin={RIPPLE} />
}
