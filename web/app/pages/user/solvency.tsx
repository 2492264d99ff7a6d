import { Solvency } from '#web/trader/solvency/index.ts'
import { StatementButton } from '#web/trader/statement/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Proof of balances') }]

export default function SolvencyPage() {
  return (
    <Page
      title="Proof of balances"
      intro="Each night we sign the total that we owe all traders. Check that your balances are included."
      actions={<StatementButton />}
    >
      <Solvency />
    </Page>
  )
}
