import { ArrowDownToLine } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Deposit fund – Cleartick' }]
export const handle = { realOnly: true }

export default function DepositPage() {
  return (
    <Page title="Deposit fund">
      <Card>
        <EmptyState
          icon={<ArrowDownToLine />}
          title="Deposits are not open yet"
          actions={
            <Link to="/user/verify" className={buttonClass()}>
              Check my verification
            </Link>
          }
        >
          You will fund your live account here, by card, Bitcoin or Ethereum. Meanwhile every trade can be tried with
          the demo balance. Withdrawals need a confirmed identity, so it is a good time to have yours checked.
        </EmptyState>
      </Card>
    </Page>
  )
}
