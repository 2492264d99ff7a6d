import { CandlestickChart } from 'lucide-react'
import { EmptyState } from '#web/ui/index.ts'

/** The trading screen. */
export function QuickTrading() {
  return (
    <EmptyState icon={<CandlestickChart />} title="Quick trading">
      Chart, order panel and your open trades.
    </EmptyState>
  )
}
