import { siteHead } from '../head.ts'
import { RISK_DISCLOSURE } from '../legal/risk-disclosure.tsx'
import { LegalPage } from '../legal-page.tsx'

const head = siteHead({
  path: '/risk-disclosure',
  title: 'Risk disclosure',
  name: 'Risk Disclosure',
  description: 'What you can lose, and how: the risks of timed trades, of crypto assets and of trading with leverage.',
})

export const handle = { still: true }
export const meta = () => head

export default function RiskDisclosure() {
  return (
    <LegalPage
      title="Risk disclosure"
      name="Risk Disclosure"
      lead="What can go wrong when you trade here, with figures. Read this before you trade with real money."
      changed="2026-11-27"
      sections={RISK_DISCLOSURE}
    />
  )
}
