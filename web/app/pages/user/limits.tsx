import { Limits } from '#web/trader/limits/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Limits and breaks') }]

export default function LimitsPage() {
  return (
    <Page
      title="Limits and breaks"
      intro="Decide how much money and time you spend here, while you can think about it calmly."
    >
      <Limits />
    </Page>
  )
}
