import { History } from 'lucide-react'
import { EmptyState } from '#web/ui/index.ts'

/** All trades of the mode. */
export function TradeHistory() {
  return (
    <EmptyState icon={<History />} title="Trade history">
      Every trade that you placed, newest first.
    </EmptyState>
  )
}
