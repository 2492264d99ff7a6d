import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { StaticRouter } from 'react-router'
import { expect, test } from 'vitest'
import Home from './home.tsx'
import BitcoinCash from './pages/bitcoin-cash.tsx'
import BitcoinTrading from './pages/bitcoin-trading.tsx'
import EtherumTrading from './pages/etherum-trading.tsx'
import Legal from './pages/legal.tsx'
import LitecoinTrading from './pages/litecoin-trading.tsx'
import LivePayouts from './pages/live-payouts.tsx'
import RippleTrading from './pages/ripple-trading.tsx'
import RiskDisclosure from './pages/risk-disclosure.tsx'
import Signals from './pages/signals.tsx'

/** The static pages that show odds. */
const PAGES: Record<string, () => ReactElement> = {
  '/': Home,
  '/bitcoin-trading': BitcoinTrading,
  '/bitcoin-cash': BitcoinCash,
  '/etherum-trading': EtherumTrading,
  '/litecoin-trading': LitecoinTrading,
  '/ripple-trading': RippleTrading,
  '/legal': Legal,
  '/risk-disclosure': RiskDisclosure,
  '/live-payouts': LivePayouts,
  '/signals': Signals,
}

test.each(Object.entries(PAGES))('%s says nothing of odds that other price lists make untrue', (path, Page) => {
  const html = renderToStaticMarkup(
    <StaticRouter location={path}>
      <Page />
    </StaticRouter>,
  )
  const text = html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  expect(html).toContain('href="/prices#odds"')
  expect(text).not.toMatch(/one of five|1 to 75 percent|At every strike rate|Break-even is \d/)
  // What depends on the list names it.
  if (/at most 175 percent|75\/3 75%|Best payout/.test(text)) expect(text).toMatch(/\bour first price list\b/)
})
