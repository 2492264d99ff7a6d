import { Link } from 'react-router'
import { SaveDestination } from '#web/trader/address-book/index.ts'
import { WithdrawalsUnderWay } from '#web/trader/money-history/index.ts'
import { Requirements, useRequirementsAnswered, Withdraw } from '#web/trader/withdraw/index.ts'
import { buttonClass, Page, SkeletonRows, titled } from '#web/ui/index.ts'
import { SendLink } from '../../layouts/account/send-link.tsx'

export const meta = () => [{ title: titled('Withdraw fund') }]
export const handle = { realOnly: true }

export default function WithdrawFundPage() {
  const answered = useRequirementsAnswered()
  return (
    <Page
      title="Withdraw fund"
      actions={
        <Link to="/user/withdraw-log" className={buttonClass({ look: 'secondary' })}>
          Withdraw history
        </Link>
      }
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
