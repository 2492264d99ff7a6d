import { ArrowUpFromLine } from 'lucide-react'
import { Link } from 'react-router'
import { queryOf } from '#web/api/index.ts'
import { buttonClass, formatUsd, MoneyStatus, serialNumber } from '#web/ui/index.ts'
import { MoneyHistory } from './money-history.tsx'
import styles from './withdraw-history.module.css'
import { WithdrawalDetails } from './withdrawal-details.tsx'

/** All withdrawals. */
export const WithdrawHistory = () => (
  <MoneyHistory
    list="GET /withdraw"
    of="withdrawal"
    one={(id) => queryOf('GET /withdraw/:withdraw_id', { params: { withdraw_id: id } })}
    idOf={(withdrawal) => withdrawal.withdraw_id}
    columns={() => [
      serialNumber,
      { head: 'Transaction ID', kind: 'name', cell: (withdrawal) => withdrawal.withdraw_id },
      { head: 'Wallet', cell: (withdrawal) => <span className={styles.wallet}>{withdrawal.wallet}</span> },
      { head: 'Amount', kind: 'figure', cell: (withdrawal) => formatUsd(withdrawal.amount) },
      { head: 'Status', cell: (withdrawal) => <MoneyStatus status={withdrawal.status} /> },
    ]}
    cardLine={(withdrawal) => <span className={styles.narrowWallet}>{withdrawal.wallet}</span>}
    empty={{
      icon: <ArrowUpFromLine />,
      title: "You don't have any withdraw history !!",
      text: 'Withdraw to your bank or wallet. Each withdrawal appears here right away, with its current status and due date.',
      action: (
        <Link to="/user/withdraw-fund" className={buttonClass()}>
          Withdraw fund
        </Link>
      ),
    }}
    details={(withdrawal, onClose) => <WithdrawalDetails withdrawal={withdrawal} onClose={onClose} />}
  />
)
