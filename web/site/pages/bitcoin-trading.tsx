import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const bitcoinTradingHead = siteHead({
  path: '/bitcoin-trading',
  title: 'Bitcoin trading',
  name: 'Bitcoin Trading',
  description:
    'Trade the price of bitcoin over one minute to one day in four steps: open an account, fund it, enter an amount, buy or sell.',
})

export function BitcoinTrading() {
  return <ContentPage title="Bitcoin trading" name="Bitcoin Trading" />
}
