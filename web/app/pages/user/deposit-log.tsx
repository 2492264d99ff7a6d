import { ArrowDownToLine } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Deposit history – Cleartick' }]
export const handle = { realOnly: true }

export default function DepositLogPage() {
  return (
    <Page title="Deposit history">
      <Card>
        <EmptyState
          icon={<ArrowDownToLine />}
          title="You don't have any deposit history !!"
          actions={
            <Link to="/user/home" className={buttonClass()}>
              Go to quick trading
            </Link>
          }
        >
          Each deposit will stand here with its amount, status and date.
        </EmptyState>
      </Card>
    </Page>
  )
}
