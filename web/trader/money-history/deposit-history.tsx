import { ArrowDownToLine } from 'lucide-react'
import { Link } from 'react-router'
import { queryOf } from '#web/api/index.ts'
import { buttonClass, formatDate, formatUsd, MoneyStatus, serialNumber } from '#web/ui/index.ts'
import { DepositDetails } from './deposit-details.tsx'
import { coinHeadOf, coinsOf } from './deposit-words.ts'
import { MoneyHistory } from './money-history.tsx'

/** All deposits. */
export const DepositHistory = () => (
  <MoneyHistory
    list="GET /deposit"
    of="deposit"
    one={(id) => queryOf('GET /deposit/:deposit_id', { params: { deposit_id: id } })}
    idOf={(deposit) => deposit.deposit_id}
    columns={(rows) => [
      serialNumber,
      { head: 'Transaction ID', kind: 'name', cell: (deposit) => deposit.deposit_id },
      { head: 'Amount Deposited', kind: 'figure', cell: (deposit) => formatUsd(deposit.amount) },
      { head: coinHeadOf(rows), kind: 'figure', cell: coinsOf },
      { head: 'Status', cell: (deposit) => <MoneyStatus status={deposit.status} /> },
      {
        head: 'Date',
        cell: (deposit) => <time dateTime={deposit.createdAt}>{formatDate(deposit.createdAt)}</time>,
      },
    ]}
    empty={{
      icon: <ArrowDownToLine />,
      title: "You don't have any deposit history !!",
      text: 'Deposit by card, Bitcoin or Ethereum. Each deposit appears here right away, with its current status.',
      action: (
        <Link to="/user/deposit" className={buttonClass()}>
          Deposit fund
        </Link>
      ),
    }}
    details={(deposit, onClose) => <DepositDetails deposit={deposit} onClose={onClose} />}
  />
)
