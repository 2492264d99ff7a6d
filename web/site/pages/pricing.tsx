import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const pricingHead = siteHead({
  path: '/pricing',
  title: 'Trading plans',
  name: 'Trading Plans',
  description:
    'Four plans of automatic trades: Beginner, Gold, Platinum and Diamond, with their prices and the trades a day that each of them brings.',
})

export function Pricing() {
  return <ContentPage title="Trading plans" name="Trading Plans" />
}
