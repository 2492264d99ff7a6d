import { Layers } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Trading plans – Cleartick' }]
export const handle = { realOnly: true }

export default function PlanPage() {
  return (
    <Page title="Trading plans">
      <Card>
        <EmptyState
          icon={<Layers />}
          title="Plans are not open yet"
          actions={
            <Link to="/user/home" className={buttonClass()}>
              Go to quick trading
            </Link>
          }
        >
          The four plans, from Beginner to Diamond, will be requested and upgraded here. Manual trades need no plan.
        </EmptyState>
      </Card>
    </Page>
  )
}
