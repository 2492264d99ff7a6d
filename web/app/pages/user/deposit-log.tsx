import { DepositHistory } from '#web/trader/money-history/index.ts'
import { StatementButton } from '#web/trader/statement/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Deposit history') }]
export const handle = { realOnly: true }

export default function DepositLogPage() {
  return (
    <Page title="Deposit history" actions={<StatementButton />}>
      <DepositHistory />
    </Page>
  )
}
