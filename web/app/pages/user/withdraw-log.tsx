import { ArrowUpFromLine } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Withdraw history – Cleartick' }]
export const handle = { realOnly: true }

export default function WithdrawLogPage() {
  return (
    <Page title="Withdraw history">
      <Card>
        <EmptyState
          icon={<ArrowUpFromLine />}
          title="You don't have any withdraw history !!"
          actions={
            <Link to="/user/home" className={buttonClass()}>
              Go to quick trading
            </Link>
          }
        >
          Each withdrawal will stand here with its wallet, amount and status.
        </EmptyState>
      </Card>
    </Page>
  )
}
