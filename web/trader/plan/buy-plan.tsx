import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { call, newKey, noteOwnAction, readUser, updateUser, useRequest, useUser } from '#web/api/index.ts'
import {
  Alert,
  Button,
  buttonClass,
  formatPlan,
  formatUsd,
  Modal,
  PLANS,
  type PlanValue,
  roundToCents,
  toast,
} from '#web/ui/index.ts'
import { missingFor } from './plan-state.ts'
import styles from './plans.module.css'

interface BuyPlanProps {
  /** The plan to buy; undefined closes the modal. */
  plan: PlanValue | undefined
  onClose: () => void
}

/**
 * Asks for confirmation before buying a plan, with its price and the balance afterwards, or shows how much is missing.
 */
export function BuyPlan({ plan, onClose }: BuyPlanProps) {
  const { balance } = useUser()
  // Keeps the plan on screen while the modal closes.
  const shown = useRef(plan)
  useEffect(() => {
    if (plan) shown.current = plan
  })
  const asked = plan ?? shown.current
  const { priceUsd = 0, tradesADay = 0 } = PLANS.find((one) => one.value === asked) ?? {}
  const missing = missingFor(priceUsd, balance)
  // One key per confirmation, so that a lost response can't cause a second charge.
  const key = useRef('')
  useEffect(() => {
    if (plan) key.current = newKey()
  }, [plan])
  const { loading, run } = useRequest((message) => {
    toast.error(message)
    onClose()
    void readUser()
  })

  const buy = () =>
    run(async () => {
      if (!plan) return
      noteOwnAction('plan')
      const { message, data } = await call('POST /users/set-plan', { body: { trading_plan: plan }, key: key.current })
      updateUser(data)
      toast.success(message ?? '')
      onClose()
    })

  return (
    <Modal open={plan !== undefined} onClose={onClose} title={`${formatPlan(asked)} plan`} sheet>
      <div className={styles.buy}>
        <Sum {...{ priceUsd, balance, missing }} />
        <p className={styles.note}>
          Adds {tradesADay} automatic {tradesADay === 1 ? 'trade' : 'trades'} a day. Automatic trades stay off until you
          set them up and start them. They need an approved identity, and they can lose.
        </p>
        {missing > 0 ? (
          <>
            <Alert kind="warning">{`You need ${formatUsd(missing)} more in your live balance to buy this plan.`}</Alert>
            <Link to="/user/deposit" className={buttonClass({ wide: true })}>
              Deposit fund
            </Link>
          </>
        ) : (
          <div className={styles.answers}>
            <Button look="secondary" onClick={onClose}>
              Cancel
            </Button>
            <Button loading={loading} onClick={() => void buy()}>
              Buy for {formatUsd(priceUsd)}
            </Button>
          </div>
        )}
      </div>
    </Modal>
  )
}

/** The price, and the balance afterwards or what is missing. */
function Sum({ priceUsd, balance, missing }: { priceUsd: number; balance: number; missing: number }) {
  return (
    <dl className={styles.sum}>
      <dt>Price</dt>
      <dd>{formatUsd(priceUsd)}</dd>
      <dt>Current balance</dt>
      <dd>{formatUsd(balance)}</dd>
      {missing > 0 ? (
        <>
          <dt>Shortfall</dt>
          <dd>{formatUsd(missing)}</dd>
        </>
      ) : (
        <>
          <dt>Balance after</dt>
          <dd>{formatUsd(roundToCents(balance - priceUsd))}</dd>
        </>
      )}
    </dl>
  )
}
