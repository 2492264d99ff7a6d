import { Strategies } from '#web/trader/strategies/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('My strategies') }]

export default function StrategiesPage() {
  return <Strategies />
}
