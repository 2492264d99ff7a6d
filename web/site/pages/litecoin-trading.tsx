import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const litecoinTradingHead = siteHead({
  path: '/litecoin-trading',
  title: 'Litecoin trading',
  name: 'Litecoin Trading',
  description: 'What Litecoin is, what moves its price, and the terms on which you trade it here.',
})

export function LitecoinTrading() {
  return <ContentPage title="Litecoin trading" name="Litecoin Trading" />
}
