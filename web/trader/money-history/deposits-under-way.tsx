import { Link } from 'react-router'
import { useMeasuredTimes, usePages } from '#web/api/index.ts'
import { Card, CardLine, depositsTook, formatUsd, MoneyStatus, Timeline } from '#web/ui/index.ts'
import { coinsOf, depositSteps, methodOf } from './deposit-words.ts'
import styles from './under-way.module.css'

const SHOWN = 3

/** Deposits that are still under review; renders nothing if there are none. */
export function DepositsUnderWay() {
  const pending = usePages('GET /deposit').rows.filter((deposit) => deposit.status === 'Pending')
  if (pending.length === 0) return null
  return (
    <Card title="In progress">
      <ul className={styles.list}>
        {pending.slice(0, SHOWN).map((deposit) => (
          <li key={deposit.deposit_id} className={styles.row}>
            <CardLine>
              <strong>{formatUsd(deposit.amount)}</strong>
              <MoneyStatus status={deposit.status} />
            </CardLine>
            <CardLine quiet>
              <span>{deposit.coin_amount === null ? methodOf(deposit) : coinsOf(deposit)}</span>
              <span>{deposit.held_by}</span>
            </CardLine>
            <Timeline steps={depositSteps(deposit)} />
          </li>
        ))}
      </ul>
      <Took />
      <p className={styles.all}>
        <Link to="/user/deposit-log">
          {pending.length > SHOWN ? `See all deposits (${pending.length} in progress)` : 'Deposit history'}
        </Link>
      </p>
    </Card>
  )
}

/** How soon others were done, where that is measured. */
function Took() {
  const took = depositsTook(useMeasuredTimes())
  return took ? <p className={styles.took}>{took}</p> : null
}
