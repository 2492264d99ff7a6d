import { QuickTrading } from '#web/trader/quick-trading/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Quick trading') }]

export default function HomePage() {
  return <QuickTrading />
}
