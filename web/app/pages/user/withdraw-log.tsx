import { WithdrawHistory } from '#web/trader/money-history/index.ts'
import { StatementButton } from '#web/trader/statement/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Withdraw history') }]
export const handle = { realOnly: true }

export default function WithdrawLogPage() {
  return (
    <Page title="Withdraw history" actions={<StatementButton />}>
      <WithdrawHistory />
    </Page>
  )
}
