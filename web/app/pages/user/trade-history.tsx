import { TradeHistory } from '#web/trader/history/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Trade history') }]

export default function TradeHistoryPage() {
  return <TradeHistory />
}
