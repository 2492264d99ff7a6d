import { Link } from 'react-router'
import { useScreen } from '#web/api/index.ts'
import { SaveDestination } from '#web/trader/address-book/index.ts'
import { WithdrawalsUnderWay, YourMoney } from '#web/trader/money-history/index.ts'
import { Requirements, useRequirementsAnswered, Withdraw } from '#web/trader/withdraw/index.ts'
import { buttonClass, Page, SkeletonRows, titled } from '#web/ui/index.ts'
import { SendLink } from '../../layouts/account/send-link.tsx'

export const meta = () => [{ title: titled('Withdraw fund') }]
export const handle = { realOnly: true }

export default function WithdrawFundPage() {
  const answered = useRequirementsAnswered()
  const isWide = useScreen() === 'desktop'
  return (
    <Page
      title="Withdraw fund"
      actions={
        <Link to="/user/withdraw-log" className={buttonClass({ look: 'secondary' })}>
          Withdraw history
        </Link>
      }
      aside={isWide && <YourMoney />}
    >
      {answered ? (
        <>
          <Requirements title="Before you can withdraw" sendLink={<SendLink />} />
          <WithdrawalsUnderWay />
          <Withdraw saveForm={(known, onSaved) => <SaveDestination known={known} onAdded={onSaved} />} />
        </>
      ) : (
        <SkeletonRows rows={6} label="Loading the requirements" />
      )}
    </Page>
  )
}
