import { Link } from 'react-router'
import { useMeasuredTimes, usePages } from '#web/api/index.ts'
import { Card, CardLine, formatUsd, MoneyStatus, Timeline, withdrawalsTook } from '#web/ui/index.ts'
import { CancelWithdrawal } from './cancel-withdrawal.tsx'
import styles from './under-way.module.css'
import { withdrawalSteps } from './withdrawal-steps.ts'

const SHOWN = 3

/** Withdrawals that aren't paid yet, each with who has it, by when, and a way to cancel; renders nothing if there are none. */
export function WithdrawalsUnderWay() {
  const open = usePages('GET /withdraw').rows.filter(({ status }) => status === 'Pending' || status === 'Processing')
  if (open.length === 0) return null
  return (
    <Card title="In progress">
      <ul className={styles.list}>
        {open.slice(0, SHOWN).map((withdrawal) => (
          <li key={withdrawal.withdraw_id} className={styles.row}>
            <CardLine>
              <strong>{formatUsd(withdrawal.amount)}</strong>
              <MoneyStatus status={withdrawal.status} />
            </CardLine>
            <CardLine quiet>
              <span className={styles.to}>{withdrawal.wallet}</span>
              <span>{withdrawal.held_by}</span>
            </CardLine>
            <Timeline steps={withdrawalSteps(withdrawal)} />
            {withdrawal.status === 'Pending' && (
              <div className={styles.cancel}>
                <CancelWithdrawal withdrawal={withdrawal} />
              </div>
            )}
          </li>
        ))}
      </ul>
      <Took />
      {open.length > SHOWN && (
        <p className={styles.all}>
          <Link to="/user/withdraw-log">See all withdrawals ({open.length} in progress)</Link>
        </p>
      )}
    </Card>
  )
}

/** How soon others were done, where that is measured. */
function Took() {
  const took = withdrawalsTook(useMeasuredTimes())
  return took ? <p className={styles.took}>{took}</p> : null
}
