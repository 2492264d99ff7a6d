import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const financialInstrumentsHead = siteHead({
  path: '/financial-instruments',
  title: 'Financial instruments',
  name: 'Financial Instruments',
  description: 'Prices of every instrument as they are written to the tape: overview, chart and the map of changes.',
})

export function FinancialInstruments() {
  return <ContentPage title="Financial instruments" name="Financial Instruments" />
}
