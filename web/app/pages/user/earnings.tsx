import { TrendingUp } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Your Earnings From Trade – Cleartick' }]
export const handle = { realOnly: true }

export default function EarningsPage() {
  return (
    <Page title="Your Earnings From Trade">
      <Card>
        <EmptyState
          icon={<TrendingUp />}
          title="You have not Earned Yet"
          actions={
            <Link to="/user/home" className={buttonClass()}>
              Go to quick trading
            </Link>
          }
        >
          What your won live trades bring will stand here, trade by trade. Your trade history already shows every
          outcome.
        </EmptyState>
      </Card>
    </Page>
  )
}
