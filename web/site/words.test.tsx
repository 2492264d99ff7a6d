import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { StaticRouter } from 'react-router'
import { describe, expect, test } from 'vitest'
import { fillSite, PUBLIC_PAGES, type PublicPage, SITE_DEFAULTS, type SiteValues } from '#contract/site.ts'
import * as aboutUs from './pages/about-us.tsx'
import * as amlPolicy from './pages/aml-policy.tsx'
import * as bitcoinCash from './pages/bitcoin-cash.tsx'
import * as bitcoinTrading from './pages/bitcoin-trading.tsx'
import * as etherumTrading from './pages/etherum-trading.tsx'
import * as financialInstruments from './pages/financial-instruments.tsx'
import * as legal from './pages/legal.tsx'
import * as litecoinTrading from './pages/litecoin-trading.tsx'
import * as livePayouts from './pages/live-payouts.tsx'
import * as paymentPolicy from './pages/payment-policy.tsx'
import * as prices from './pages/prices.tsx'
import * as privacy from './pages/privacy.tsx'
import * as rippleTrading from './pages/ripple-trading.tsx'
import * as riskDisclosure from './pages/risk-disclosure.tsx'

interface PageModule {
  default: () => ReactElement
  meta: () => readonly object[]
}

/** All content pages whose text is checked here. The start page, the plans and the contact page have separate tests. */
const PAGES: Partial<Record<PublicPage, PageModule>> = {
  '/about-us': aboutUs,
  '/bitcoin-trading': bitcoinTrading,
  '/bitcoin-cash': bitcoinCash,
  '/litecoin-trading': litecoinTrading,
  '/etherum-trading': etherumTrading,
  '/ripple-trading': rippleTrading,
  '/financial-instruments': financialInstruments,
  '/live-payouts': livePayouts,
  '/prices': prices,
  '/risk-disclosure': riskDisclosure,
  '/legal': legal,
  '/privacy': privacy,
  '/aml-policy': amlPolicy,
  '/payment-policy': paymentPolicy,
}
const LEGAL = ['/legal', '/privacy', '/aml-policy', '/payment-policy', '/risk-disclosure'] as const

/** What the specification requires on each page. Every entry is a piece of the page's text as a visitor reads it. */
const FACTS: Partial<Record<PublicPage, readonly (string | RegExp)[]>> = {
  '/about-us': [
    'founded in 2018',
    'Over 15 years',
    '250+ instruments',
    'forex, stocks, commodities, indices',
    'Client funds are segregated',
  ],
  '/bitcoin-trading': [
    '1 Open an account',
    '2 Fund it',
    '3 Enter an amount',
    '4 Buy or sell',
    'leverage of up to 20:1',
    'fully automatic bitcoin trader',
  ],
  '/bitcoin-cash': [
    'maximum accumulated position is $200,000 notional',
    'leverage of up to 20:1',
    'BCHBTC',
    'BCHUSDT',
    'BCHEUR',
    'BCHGBP',
    'BCHUSD',
  ],
  '/litecoin-trading': [
    'maximum accumulated position is $200,000 notional',
    'leverage of up to 20:1',
    'LTCBTC',
    'LTCUSD',
  ],
  '/etherum-trading': ['Leverage: up to 20:1', 'Margin: 50%', 'Minimum trade size: 1', 'ETHUSDT'],
  '/ripple-trading': ['Ripple', 'XRPUSDT', 'leverage of up to 20:1'],
  '/financial-instruments': [
    '250+ instruments',
    'margins as low as 0.5%',
    'S&P 500',
    'Nasdaq 100',
    'EUR/USD',
    '31 symbols',
    '48 symbols',
  ],
  '/prices': ['The odds on offer'],
  '/live-payouts': ['Without names', 'up to 218%', '57.1%'],
  '/risk-disclosure': [
    'loses its whole stake',
    'leverage of 20:1',
    'margin of 0.5%',
    'accuracy of 87%',
    'payouts up to 218%',
    '250+ instruments',
    'more than 15 years',
    /75\/3 75% 3% 57\.1% 97\.1%/,
    /12\/5 12% 5% 89\.3% 95\.2%/,
    /11\/13 11% 13% 90\.1% 88\.5%/,
    /1\/18 1% 18% 99\.0% 84\.7%/,
    /1\/61 1% 61% 99\.0% 62\.1%/,
  ],
  '/legal': [
    'for 21 days',
    'start with at least $100',
    'At least 1 credit is needed to trade',
    'Credits are prepaid',
    'are non-refundable',
    'limited to $7,500',
    'reported to us within 10 days',
    'Claims lapse after 1 year',
    'effect 30 days after notice',
    'negative for more than 2 months',
    'for fraud or misuse',
    'for damage done to us',
    'only with the permission of a parent or guardian',
    'fully automatic bitcoin trader',
    'Prices in these terms are in Euro',
    'leverage is up to 20:1',
    'margin for Ethereum is 50%',
    'as low as 0.5%',
    '$200,000 notional',
    '60, 180, 300, 900, 1,800, 3,600, 7,200 or 86,400 seconds',
    /BEGINNER \$3,000 1 ATS/,
    /GOLD \$7,600 5 ATS/,
    /PLATINUM \$21,199 10 ATS/,
    /DIAMOND \$50,730 14 ATS \(VIP\)/,
  ],
  '/privacy': [
    'within 30 days when a detail that identifies you changes',
    'within 7 business days',
    'parent or guardian',
  ],
  '/aml-policy': [
    'AML, anti-money laundering',
    'KYC, know your client',
    "driver's license",
    'international passport',
    'national ID',
    'up to 10 business days, in some cases up to 30',
    'at most 5 MB',
  ],
  '/payment-policy': [
    'One account per client',
    'in US dollars (USD) only',
    'same method as the deposit',
    'withdrawals within 5 business days',
    'identity within 10 business days',
    'takes up to 30',
    'Rules for the identity document',
    'Rules for the proof of address',
    'Changing your phone number',
    '3 to 45 business days',
    'Checking or Savings',
    'any amount from $1',
    'at most 5 MB',
    'at least 10 characters',
  ],
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&#x27;': "'",
  '&#39;': "'",
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
}

function htmlOf(path: PublicPage, values: SiteValues = SITE_DEFAULTS): string {
  const { default: Page } = PAGES[path]!
  const page = renderToStaticMarkup(
    <StaticRouter location={path}>
      <Page />
    </StaticRouter>,
  )
  // The server fills this in by its settings.
  return fillSite(page.replaceAll('{{minors}}', ''), values, 'https://example.org')
}

/** Returns a page's readable text: no tags, single spaces. */
const textOf = (html: string): string =>
  html
    .replace(/<(\/?)(strong|em|a|span|time)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|#x27|#39|quot|lt|gt);/g, (entity) => ENTITIES[entity]!)
    .replace(/\s+/g, ' ')

const paths = Object.keys(PAGES) as PublicPage[]
const headOf = (path: PublicPage) => PAGES[path]!.meta() as readonly Record<string, unknown>[]

describe.each(paths)('%s', (path) => {
  const html = htmlOf(path)
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(html)![1]!
  const text = textOf(main)

  test.each(FACTS[path]!.map((fact) => [fact]))('contains %s', (fact) => {
    if (typeof fact === 'string') expect(text).toContain(fact)
    else expect(text).toMatch(fact)
  })

  test('has one h1, no skipped heading levels and a breadcrumb', () => {
    const levels = [...main.matchAll(/<h([1-6])\b/g)].map((match) => Number(match[1]))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [n, level] of levels.entries()) expect(level - (levels[n - 1] ?? 0)).toBeLessThanOrEqual(1)
    expect(text).toMatch(/^ ?Home /)
    expect(main).toContain('aria-current="page"')
  })

  test('has a title, its own description and no unfilled placeholder', () => {
    const head = headOf(path)
    const find = (key: string, value: string) => head.find((entry) => entry[key] === value)
    const title = head.find((entry) => 'title' in entry)!.title as string
    const description = find('name', 'description')!.content as string
    expect(title.length).toBeGreaterThan(10)
    expect(description.length).toBeGreaterThanOrEqual(70)
    expect(description.length).toBeLessThanOrEqual(160)
    expect(text).not.toContain('{{')
  })

  test('has unique anchors, and its own links lead to them', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!)
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([])
    for (const [, id] of main.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
  })

  test('links only to pages and anchors that exist', () => {
    for (const [, href, anchor] of main.matchAll(/href="(\/[a-z-]*)(?:#([^"]+))?"/g)) {
      if (!(PUBLIC_PAGES as readonly string[]).includes(href!)) continue
      if (anchor) expect(htmlOf(href as PublicPage)).toContain(`id="${anchor}"`)
    }
    const known = [...PUBLIC_PAGES, '/user/home', '/user/home?demo', '/auth/signup', '/auth/signin']
    for (const [, href] of main.matchAll(/href="(\/[^"#]*)/g)) expect(known).toContain(href)
  })

  test('has no inline styles, which the content security policy forbids', () => {
    expect(html).not.toMatch(/ style="/)
  })
})

test('descriptions and titles differ from page to page', () => {
  for (const pick of ['title', 'description'] as const) {
    const said = paths.map((path) => {
      const head = headOf(path)
      return pick === 'title'
        ? head.find((entry) => 'title' in entry)!.title
        : head.find((entry) => entry.name === pick)!.content
    })
    expect(new Set(said).size).toBe(paths.length)
  }
})

test.each(LEGAL)('%s has a list of contents and the date of its last change', (path) => {
  const html = htmlOf(path)
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(html)![1]!
  const sections = [...main.matchAll(/<section id="([^"]+)"/g)].map((match) => match[1])
  const contents = [...main.matchAll(/<li><a href="#([^"]+)"/g)].map((match) => match[1])
  expect(contents).toEqual(sections)
  expect(main).toMatch(/Last changed <time dateTime="\d{4}-\d{2}-\d{2}"/i)
})

test("an operator's figure appears in the text", () => {
  const html = htmlOf('/legal', { ...SITE_DEFAULTS, liabilityCap: 9_000 })
  expect(textOf(html)).toContain('limited to $9,000')
})

test('the privacy page names the periods that the server keeps', () => {
  const periods = { keepDocumentsDays: 400, keepConversationsDays: 61, keepSignInsDays: 47 }
  const text = textOf(htmlOf('/privacy', { ...SITE_DEFAULTS, ...periods }))
  expect(text).toContain('delete them 400 days after it was closed')
  expect(text).toContain('61 days after the last word')
  expect(text).toContain('sign-ins 47 days after they end')
})
