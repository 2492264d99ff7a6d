import type { PublicPage } from '#contract/site.ts'

interface Place {
  name: string
  href: PublicPage
}
export interface Group {
  name: string
  places: readonly Place[]
}

const COINS: Group = {
  name: 'Crypto',
  places: [
    { name: 'Bitcoin Trading', href: '/bitcoin-trading' },
    { name: 'Bitcoin Cash', href: '/bitcoin-cash' },
    { name: 'Litecoin Trading', href: '/litecoin-trading' },
    { name: 'Ethereum Trading', href: '/etherum-trading' },
    { name: 'Ripple Trading', href: '/ripple-trading' },
  ],
}

const RESOURCES: Group = {
  name: 'Resources',
  places: [
    { name: 'Financial Instruments', href: '/financial-instruments' },
    { name: 'Live Payouts', href: '/live-payouts' },
    { name: 'Prices', href: '/prices' },
    { name: 'Signals', href: '/signals' },
    { name: 'Check a Receipt', href: '/verify' },
    { name: 'Incidents', href: '/incidents' },
    { name: 'Risk Disclosure', href: '/risk-disclosure' },
  ],
}

/** The header's menu in order: links, and groups of links. */
export const MENU: readonly (Place | Group)[] = [
  { name: 'Home', href: '/' },
  { name: 'About', href: '/about-us' },
  { name: 'Trading Plans', href: '/pricing' },
  COINS,
  RESOURCES,
  {
    name: 'Legal',
    places: [
      { name: 'Terms of Use', href: '/legal' },
      { name: 'Privacy Policy', href: '/privacy' },
    ],
  },
  { name: 'Contact', href: '/contact-us' },
]

/** The footer's lists. */
export const FOOTER: readonly Group[] = [
  {
    name: 'Quick links',
    places: [
      { name: 'Home', href: '/' },
      { name: 'About', href: '/about-us' },
      { name: 'Trading Plans', href: '/pricing' },
      { name: 'Contact Us', href: '/contact-us' },
    ],
  },
  COINS,
  RESOURCES,
  {
    name: 'Legal',
    places: [
      { name: 'Privacy Policy', href: '/privacy' },
      { name: 'Terms Of Use', href: '/legal' },
      { name: 'AML Policy', href: '/aml-policy' },
      { name: 'Payment Policy', href: '/payment-policy' },
    ],
  },
]

export const isGroup = (entry: Place | Group): entry is Group => 'places' in entry
