import { Plans } from '#web/trader/plan/index.ts'
import { Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Trading plans – Cleartick' }]
export const handle = { realOnly: true }

export default function PlanPage() {
  return (
    <Page title="Trading plans">
      <Plans />
    </Page>
  )
}
