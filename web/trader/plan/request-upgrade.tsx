import { useUser } from '#web/api/index.ts'
import { Button, formatPlan, formatUsd, Modal, PLANS, type PlanValue, useLast } from '#web/ui/index.ts'
import styles from './plans.module.css'

interface RequestUpgradeProps {
  /** The plan to request; undefined closes the modal. */
  plan: PlanValue | undefined
  loading: boolean
  onClose: () => void
  onRequest: (plan: PlanValue) => void
}

/** Asks for confirmation before requesting an upgrade, and shows what an approval charges to the balance. */
export function RequestUpgrade({ plan, loading, onClose, onRequest }: RequestUpgradeProps) {
  const { balance, trading_plan } = useUser()
  const shown = useLast(plan)
  const priceOf = (value: string | undefined) => PLANS.find((one) => one.value === value)?.priceUsd ?? 0
  const price = priceOf(shown) - priceOf(trading_plan)
  return (
    <Modal
      open={plan !== undefined}
      onClose={onClose}
      title={shown ? `Request the ${formatPlan(shown)} plan?` : ''}
      sheet
    >
      <div className={styles.buy}>
        <dl className={styles.sum}>
          <dt>Charged on approval</dt>
          <dd>{formatUsd(price)}</dd>
          <dt>Current balance</dt>
          <dd>{formatUsd(balance)}</dd>
        </dl>
        <p className={styles.note}>An operator reviews your request. You can withdraw it until then.</p>
        <div className={styles.answers}>
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={loading} onClick={() => shown && onRequest(shown)}>
            Request upgrade
          </Button>
        </div>
      </div>
    </Modal>
  )
}
