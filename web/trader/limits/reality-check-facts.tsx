import { Link } from 'react-router'
import type { Guardrails } from '#contract/account/guardrails.ts'
import { Alert, Button, formatUsdSigned } from '#web/ui/index.ts'
import styles from './limits.module.css'
import { formatMinutes } from './words.ts'

interface RealityCheckFactsProps {
  check: NonNullable<Guardrails['check_due']>
  error: string | undefined
  loading: boolean
  onConfirm: () => void
}

/** Time, trades and result of the session, and how to continue. */
export default function RealityCheckFacts({ check, error, loading, onConfirm }: RealityCheckFactsProps) {
  return (
    <div className={styles.form}>
      <dl className={styles.facts}>
        <dt>Time in this session</dt>
        <dd>{formatMinutes(check.minutes)}</dd>
        <dt>Trades with real money</dt>
        <dd>{check.trades}</dd>
        <dt>Net result</dt>
        <dd>{formatUsdSigned(check.result)}</dd>
      </dl>
      <p className={styles.note}>Open trades are not in the result yet; they settle as usual.</p>
      <Alert>{error}</Alert>
      <div className={styles.buttons}>
        <Link className={styles.link} to="/user/limits" onClick={onConfirm}>
          Limits and breaks
        </Link>
        <Button loading={loading} onClick={onConfirm}>
          Continue
        </Button>
      </div>
    </div>
  )
}
