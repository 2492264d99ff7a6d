import { useQuery } from '@tanstack/react-query'
import { ArrowDownToLine, ArrowUpFromLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'
import { queryOf, usePages, useUser, useUserMessages } from '#web/api/index.ts'
import { Card, formatDateTime, formatUsd, MoneyStatus, SkeletonRows } from '#web/ui/index.ts'
import { sumsOf } from './sums.ts'
import styles from './your-money.module.css'

const SHOWN = 4

/** The stakes of all open trades are the same whichever symbol is asked about. */
const ANY_SYMBOL = 'BTCUSDT'

/** The live balance with what is staked, on its way and held, and the newest deposits and withdrawals. */
export function YourMoney() {
  const { balance } = useUser()
  const deposits = usePages('GET /deposit')
  const withdrawals = usePages('GET /withdraw')
  const limits = useQuery(queryOf('GET /trading/limits', { query: { mode: 'real', symbol: ANY_SYMBOL } }))
  // The balance changes with it.
  useUserMessages((message) => {
    if (message.op === 'trade') void limits.refetch()
  })
  const { onItsWay, held } = sumsOf(deposits.rows, withdrawals.rows)
  const areRead = deposits.isSuccess && withdrawals.isSuccess
  return (
    <>
      <Card title="Live balance">
        <p className={styles.balance}>{formatUsd(balance)}</p>
        <dl className={styles.parts}>
          <Part name="In open trades" amount={limits.data?.data.open_stake} />
          {/* A sum of the newest rows only could be too small. */}
          {!deposits.hasNextPage && <Part name="On its way in" amount={areRead ? onItsWay : undefined} />}
          {!withdrawals.hasNextPage && <Part name="Held for withdrawals" amount={areRead ? held : undefined} />}
        </dl>
      </Card>
      <Card title="Last movements">
        {areRead ? (
          <Movements deposits={deposits.rows} withdrawals={withdrawals.rows} />
        ) : deposits.isError || withdrawals.isError ? (
          <p className={styles.none}>We couldn't load them. Reload the page to try again.</p>
        ) : (
          <SkeletonRows rows={SHOWN} label="Loading the last movements" />
        )}
      </Card>
    </>
  )
}

function Part({ name, amount }: { name: string; amount: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{amount === undefined ? '–' : formatUsd(amount)}</dd>
    </div>
  )
}

function Movements({ deposits, withdrawals }: { deposits: readonly Deposit[]; withdrawals: readonly Withdrawal[] }) {
  const rows = [
    ...deposits.map((deposit) => ({
      of: deposit,
      to: `/user/deposit-log?deposit=${deposit.deposit_id}`,
      name: 'Deposit',
      icon: <ArrowDownToLine aria-hidden />,
    })),
    ...withdrawals.map((withdrawal) => ({
      of: withdrawal,
      to: `/user/withdraw-log?withdrawal=${withdrawal.withdraw_id}`,
      name: 'Withdrawal',
      icon: <ArrowUpFromLine aria-hidden />,
    })),
  ].sort((a, b) => b.of.createdAt.localeCompare(a.of.createdAt))
  if (rows.length === 0) return <p className={styles.none}>Your deposits and withdrawals appear here.</p>
  return (
    <ul className={styles.movements}>
      {rows.slice(0, SHOWN).map(({ of, ...row }) => (
        <Movement key={row.to} {...row} of={of} />
      ))}
    </ul>
  )
}

interface MovementProps {
  of: Deposit | Withdrawal
  to: string
  name: string
  icon: ReactNode
}

function Movement({ of: { amount, status, createdAt }, to, name, icon }: MovementProps) {
  return (
    <li>
      <Link to={to} className={styles.movement}>
        {icon}
        <span className={styles.name}>{name}</span>
        <span className={styles.amount}>{formatUsd(amount)}</span>
        <span className={styles.time}>{formatDateTime(createdAt)}</span>
        <span className={styles.status}>
          <MoneyStatus status={status} />
        </span>
      </Link>
    </li>
  )
}
