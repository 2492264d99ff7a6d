import { ArrowDownToLine } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import type { Deposit } from '#contract/cashier.ts'
import { problemOf, usePages, useScreen } from '#web/api/index.ts'
import {
  buttonClass,
  CardLine,
  type Column,
  EmptyState,
  formatDate,
  formatDateTime,
  formatTime,
  formatUsd,
  MoneyStatus,
  PageList,
  serialNumber,
  toast,
} from '#web/ui/index.ts'
import { DepositDetails } from './deposit-details.tsx'
import { coinHeadOf, coinsOf } from './deposit-words.ts'

/** All deposits, newest first, updated live. */
export function DepositHistory() {
  const isMobile = useScreen() === 'mobile'
  const deposits = usePages('GET /deposit')
  const problem = problemOf(deposits)
  const message = problem?.message
  const [openId, setOpenId] = useState<string>()
  useEffect(() => {
    if (message !== undefined) toast.error(message)
  }, [message])

  return (
    <>
      <PageList
        pages={deposits}
        of="deposit"
        problem={problem}
        problemText="We couldn't load your deposits."
        keyOf={(deposit) => deposit.deposit_id}
        columns={columnsOf(deposits.rows)}
        asCards={isMobile}
        card={(deposit) => <DepositCard deposit={deposit} />}
        onOpen={(deposit) => setOpenId(deposit.deposit_id)}
        openLabel={(deposit) => `Details of deposit ${deposit.deposit_id}`}
        empty={
          <EmptyState
            icon={<ArrowDownToLine />}
            title="You don't have any deposit history !!"
            actions={
              <Link to="/user/deposit" className={buttonClass()}>
                Deposit fund
              </Link>
            }
          >
            Deposit by card, Bitcoin or Ethereum. Each deposit appears here right away, with its current status.
          </EmptyState>
        }
      />
      <DepositDetails
        deposit={deposits.rows.find((one) => one.deposit_id === openId)}
        onClose={() => setOpenId(undefined)}
      />
    </>
  )
}

const columnsOf = (rows: readonly Deposit[]): Column<Deposit>[] => [
  serialNumber,
  { head: 'Transaction ID', kind: 'name', cell: (deposit) => deposit.deposit_id },
  { head: 'Amount Deposited', kind: 'figure', cell: (deposit) => formatUsd(deposit.amount) },
  { head: coinHeadOf(rows), kind: 'figure', cell: coinsOf },
  { head: 'Status', cell: (deposit) => <MoneyStatus status={deposit.status} /> },
  {
    head: 'Date',
    cell: (deposit) => <time dateTime={deposit.createdAt}>{formatDate(deposit.createdAt)}</time>,
  },
]

/** Phones show ID, amount and time. */
function DepositCard({ deposit }: { deposit: Deposit }) {
  return (
    <>
      <CardLine>
        <strong>{deposit.deposit_id}</strong>
        <strong>{formatUsd(deposit.amount)}</strong>
      </CardLine>
      <CardLine quiet>
        <time dateTime={deposit.createdAt} title={formatDateTime(deposit.createdAt)}>
          {formatDate(deposit.createdAt)} {formatTime(deposit.createdAt)}
        </time>
        <MoneyStatus status={deposit.status} />
      </CardLine>
    </>
  )
}
