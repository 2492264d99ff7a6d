import { Link } from 'react-router'
import { useScreen } from '#web/api/index.ts'
import { Deposit } from '#web/trader/deposit/index.ts'
import { DepositsUnderWay, YourMoney } from '#web/trader/money-history/index.ts'
import { Requirements } from '#web/trader/withdraw/index.ts'
import { buttonClass, Page, titled } from '#web/ui/index.ts'
import { SendLink } from '../../layouts/account/send-link.tsx'

export const meta = () => [{ title: titled('Deposit fund') }]
export const handle = { realOnly: true }

export default function DepositPage() {
  const isWide = useScreen() === 'desktop'
  return (
    <Page
      title="Deposit fund"
      intro="Choose a deposit method. We credit your account once the payment arrives."
      actions={
        <Link to="/user/deposit-log" className={buttonClass({ look: 'secondary' })}>
          Deposit history
        </Link>
      }
      aside={isWide && <YourMoney />}
    >
      <Deposit />
      <DepositsUnderWay />
      <Requirements title="What you'll need to withdraw" sendLink={<SendLink />} />
    </Page>
  )
}
