import { ArrowUpFromLine } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Withdraw fund – Cleartick' }]
export const handle = { realOnly: true }

export default function WithdrawFundPage() {
  return (
    <Page title="Withdraw fund">
      <Card>
        <EmptyState
          icon={<ArrowUpFromLine />}
          title="Withdrawals are not open yet"
          actions={
            <Link to="/user/verify" className={buttonClass()}>
              Check my verification
            </Link>
          }
        >
          You will move money to your bank or crypto wallet here. It needs an approved identity and a confirmed e-mail,
          so it is good to have both ready.
        </EmptyState>
      </Card>
    </Page>
  )
}
