import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const bitcoinCashHead = siteHead({
  path: '/bitcoin-cash',
  title: 'Bitcoin Cash trading',
  name: 'Bitcoin Cash',
  description: 'What Bitcoin Cash is, what moves its price, and the terms on which you trade it here.',
})

export function BitcoinCash() {
  return <ContentPage title="Bitcoin Cash trading" name="Bitcoin Cash" />
}
