import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const livePayoutsHead = siteHead({
  path: '/live-payouts',
  title: 'Live payouts',
  name: 'Live Payouts',
  description: 'The newest trades that were won with real money, without names, as they are settled on the tape.',
})

export function LivePayouts() {
  return <ContentPage title="Live payouts" name="Live Payouts" />
}
