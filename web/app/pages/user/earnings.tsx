import { Earnings } from '#web/trader/earnings/index.ts'
import { StatementButton } from '#web/trader/statement/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Your Earnings From Trade') }]
export const handle = { realOnly: true }

export default function EarningsPage() {
  return (
    <Page title="Your Earnings From Trade" actions={<StatementButton />}>
      <Earnings />
    </Page>
  )
}
