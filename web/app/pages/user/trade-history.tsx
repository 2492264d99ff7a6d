import { TradeHistory } from '#web/trader/history/index.ts'

export const meta = () => [{ title: 'Trade history – Cleartick' }]

export default function TradeHistoryPage() {
  return <TradeHistory />
}
