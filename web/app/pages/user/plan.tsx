import { Plans } from '#web/trader/plan/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Trading plans') }]
export const handle = { realOnly: true }

export default function PlanPage() {
  return (
    <Page title="Trading plans">
      <Plans />
    </Page>
  )
}
