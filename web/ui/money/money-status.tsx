import { Ban, Check, Clock3, LoaderCircle, X } from 'lucide-react'
import type { DepositStatus, WithdrawalStatus } from '#contract/terms.ts'
import { Badge } from '../badge.tsx'
import { formatUsd } from '../format.ts'
import styles from './money-status.module.css'

const STATUS = {
  Pending: { icon: Clock3, tone: 'accent' },
  Processing: { icon: LoaderCircle, tone: 'accent' },
  Approved: { icon: Check, tone: 'up' },
  Paid: { icon: Check, tone: 'up' },
  Rejected: { icon: X, tone: 'down' },
  Cancelled: { icon: Ban, tone: 'neutral' },
} as const

/** The status of a deposit or withdrawal, with its icon. */
export function MoneyStatus({ status }: { status: DepositStatus | WithdrawalStatus }) {
  const { icon: Icon, tone } = STATUS[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {status}
    </Badge>
  )
}

/** The header of a deposit's or withdrawal's details: status and amount. */
export function MoneyHead({ status, amount }: { status: DepositStatus | WithdrawalStatus; amount: number }) {
  return (
    <p className={styles.head}>
      <MoneyStatus status={status} />
      <strong className={styles.amount}>{formatUsd(amount)}</strong>
    </p>
  )
}
