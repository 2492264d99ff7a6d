import { useState } from 'react'
import { Link } from 'react-router'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, formatUsdSigned, Modal, useLast } from '#web/ui/index.ts'
import styles from './limits.module.css'
import { showGuardrails, useGuardrails } from './use-guardrails.ts'
import { formatMinutes } from './words.ts'

/**
 * The reality check that is due: time, trades and result of the session. The server accepts no real trade before it's
 * confirmed. Another tab's confirmation closes it here too.
 */
export function RealityCheck() {
  const { data, dataUpdatedAt } = useGuardrails()
  const due = data?.data.check_due ?? undefined
  // Closing it only uncovers the screen, for example a trade that is about to settle: the next trade brings it back.
  const [closedAt, setClosedAt] = useState(0)
  const shown = useLast(due)
  const { loading, error, run } = useRequest()
  const confirm = () =>
    run(async () => {
      if (!due) return
      const confirmed = await call('POST /guardrails/reality-check/confirm', { body: { number: due.number } })
      showGuardrails(confirmed.data)
    })
  return (
    <Modal
      open={due !== undefined && closedAt !== dataUpdatedAt}
      onClose={() => setClosedAt(dataUpdatedAt)}
      title="Reality check"
      sheet
    >
      {shown && (
        <div className={styles.form}>
          <dl className={styles.facts}>
            <dt>Time in this session</dt>
            <dd>{formatMinutes(shown.minutes)}</dd>
            <dt>Trades with real money</dt>
            <dd>{shown.trades}</dd>
            <dt>Net result</dt>
            <dd>{formatUsdSigned(shown.result)}</dd>
          </dl>
          <p className={styles.note}>Open trades are not in the result yet; they settle as usual.</p>
          <Alert>{error}</Alert>
          <div className={styles.buttons}>
            <Link className={styles.link} to="/user/limits" onClick={() => void confirm()}>
              Limits and breaks
            </Link>
            <Button loading={loading} onClick={() => void confirm()}>
              Continue
            </Button>
          </div>
        </div>
      )}
    </Modal>
  )
}
