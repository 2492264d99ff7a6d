import { QuickTrading } from '#web/trader/quick-trading/index.ts'

export const meta = () => [{ title: 'Quick trading – Cleartick' }]

export default function HomePage() {
  return <QuickTrading />
}
