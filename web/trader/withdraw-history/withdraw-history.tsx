import { ArrowUpFromLine } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import type { Withdraw } from '#contract/cashier.ts'
import { problemOf, usePages, useScreen } from '#web/api/index.ts'
import {
  buttonClass,
  CardLine,
  type Column,
  EmptyState,
  formatDate,
  formatTime,
  formatUsd,
  MoneyStatus,
  PageList,
  serialNumber,
  toast,
} from '#web/ui/index.ts'
import { WithdrawDetails } from './withdraw-details.tsx'
import styles from './withdraw-history.module.css'

/** All withdrawals, newest first, updated live. */
export function WithdrawHistory() {
  const isMobile = useScreen() === 'mobile'
  const withdrawals = usePages('GET /withdraw')
  const problem = problemOf(withdrawals)
  const message = problem?.message
  const [openId, setOpenId] = useState<string>()
  useEffect(() => {
    if (message !== undefined) toast.error(message)
  }, [message])

  return (
    <>
      <PageList
        pages={withdrawals}
        of="withdrawal"
        problem={problem}
        problemText="We couldn't load your withdrawals."
        keyOf={(withdrawal) => withdrawal.withdraw_id}
        columns={COLUMNS}
        asCards={isMobile}
        card={(withdrawal) => <WithdrawCard withdrawal={withdrawal} />}
        onOpen={(withdrawal) => setOpenId(withdrawal.withdraw_id)}
        openLabel={(withdrawal) => `Details of withdrawal ${withdrawal.withdraw_id}`}
        empty={
          <EmptyState
            icon={<ArrowUpFromLine />}
            title="You don't have any withdraw history !!"
            actions={
              <Link to="/user/withdraw-fund" className={buttonClass()}>
                Withdraw fund
              </Link>
            }
          >
            Withdraw to your bank or wallet. Each withdrawal appears here right away, with its current status and due
            date.
          </EmptyState>
        }
      />
      <WithdrawDetails
        withdrawal={withdrawals.rows.find((one) => one.withdraw_id === openId)}
        onClose={() => setOpenId(undefined)}
      />
    </>
  )
}

const COLUMNS: Column<Withdraw>[] = [
  serialNumber,
  { head: 'Transaction ID', kind: 'name', cell: (withdrawal) => withdrawal.withdraw_id },
  {
    head: 'Wallet',
    cell: (withdrawal) => <span className={styles.wallet}>{withdrawal.wallet}</span>,
  },
  { head: 'Amount', kind: 'figure', cell: (withdrawal) => formatUsd(withdrawal.amount) },
  { head: 'Status', cell: (withdrawal) => <MoneyStatus status={withdrawal.status} /> },
]

function WithdrawCard({ withdrawal }: { withdrawal: Withdraw }) {
  return (
    <>
      <CardLine>
        <strong>{withdrawal.withdraw_id}</strong>
        <strong>{formatUsd(withdrawal.amount)}</strong>
      </CardLine>
      <span className={styles.narrowWallet}>{withdrawal.wallet}</span>
      <CardLine quiet>
        <time dateTime={withdrawal.createdAt}>
          {formatDate(withdrawal.createdAt)} {formatTime(withdrawal.createdAt)}
        </time>
        <MoneyStatus status={withdrawal.status} />
      </CardLine>
    </>
  )
}
