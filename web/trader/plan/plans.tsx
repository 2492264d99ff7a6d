import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { call, noteOwnAction, queryOf, readUser, updateUser, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Badge, Button, cx, formatPlan, formatUsd, PLANS, type PlanValue, toast } from '#web/ui/index.ts'
import { BuyPlan } from './buy-plan.tsx'
import { type PlanState, planStateOf } from './plan-state.ts'
import styles from './plans.module.css'
import { RequestUpgrade } from './request-upgrade.tsx'

const TITLES = new Intl.NumberFormat('en-US')

/** The four plans, with one button each. */
export function Plans() {
  const user = useUser()
  const [buying, setBuying] = useState<PlanValue>()
  const [upgrading, setUpgrading] = useState<PlanValue>()
  const { loading, run } = useRequest((message) => {
    toast.error(message)
    // After a rejection, the user data on this screen may be out of date.
    void readUser()
  })
  const isWaiting = user.plan_request !== null

  // Reloaded whenever a request is made, decided or withdrawn.
  const newest = useQuery({
    ...queryOf('GET /users/plan-request'),
    queryKey: ['GET /users/plan-request', user.plan_request?.trading_plan ?? '', user.trading_plan],
    staleTime: 0,
  }).data?.data

  const requestUpgrade = (plan: PlanValue) =>
    run(async () => {
      noteOwnAction('plan')
      const { message, data } = await call('POST /users/request-plan-update', { body: { trading_plan: plan } })
      updateUser({ plan_request: data })
      toast.success(message ?? '')
      setUpgrading(undefined)
    })

  const withdraw = () =>
    run(async () => {
      noteOwnAction('plan')
      const { message } = await call('POST /users/withdraw-plan-request')
      updateUser({ plan_request: null })
      toast.success(message)
    })

  function press(plan: PlanValue, state: PlanState) {
    if (state === 'Request Plan') setBuying(plan)
    if (state === 'Request Upgrade') setUpgrading(plan)
  }

  return (
    <>
      <CurrentPlan loading={loading} onWithdraw={() => void withdraw()} />
      {!user.plan_request && newest?.status === 'Rejected' && (
        <Alert kind="warning">
          Your request for the {newest.plan} plan was rejected: {newest.reason}
        </Alert>
      )}
      <ul className={styles.cards}>
        {PLANS.map((plan) => {
          const state = planStateOf(plan.value, user)
          return (
            <PlanCard
              key={plan.value}
              plan={plan}
              state={state}
              canPress={state === 'Request Plan' || (state === 'Request Upgrade' && !isWaiting)}
              loading={loading}
              onPress={() => press(plan.value, state)}
            />
          )
        })}
      </ul>
      <p className={styles.note}>
        The trades per day of a plan are <Link to="/user/automatic">automatic trades</Link> with real money: they follow
        a strategy you choose, within your stops, and stay off until you start them. They can lose, and manual trades
        aren't limited. An operator reviews each upgrade, and you pay only the difference once it's approved.
      </p>
      <RequestUpgrade
        plan={upgrading}
        loading={loading}
        onClose={() => setUpgrading(undefined)}
        onRequest={(plan) => void requestUpgrade(plan)}
      />
      <BuyPlan plan={buying} onClose={() => setBuying(undefined)} />
    </>
  )
}

interface PlanCardProps {
  plan: (typeof PLANS)[number]
  state: PlanState
  canPress: boolean
  loading: boolean
  onPress: () => void
}

function PlanCard({ plan, state, canPress, loading, onPress }: PlanCardProps) {
  const { name, value, priceUsd, tradesADay, feature } = plan
  return (
    <li data-plan={value} className={cx(styles.card, state === 'Active' && styles.active)}>
      <h2 className={styles.name}>
        {name} <span className={styles.feature}>{feature}</span>
      </h2>
      <p className={styles.price}>${TITLES.format(priceUsd)}</p>
      <p className={styles.line} data-trades-a-day>
        <Check aria-hidden />
        {tradesADay} {tradesADay === 1 ? 'trade' : 'trades'}/day
      </p>
      <p className={styles.line}>
        <Check aria-hidden />
        {feature} automatic trades
      </p>
      <Button
        wide
        look={canPress ? 'primary' : 'secondary'}
        disabled={!canPress}
        loading={loading && canPress}
        aria-label={`${state}: ${name}`}
        onClick={onPress}
      >
        {state}
      </Button>
    </li>
  )
}

function CurrentPlan({ loading, onWithdraw }: { loading: boolean; onWithdraw: () => void }) {
  const user = useUser()
  return (
    <p className={styles.state}>
      <span>
        Your plan: <strong>{formatPlan(user.trading_plan)}</strong>
      </span>
      <span>
        Live balance: <strong className="tabular">{formatUsd(user.balance)}</strong>
      </span>
      {user.plan_request && (
        <>
          <Badge tone="warn">{user.plan_request.plan} requested, under review</Badge>
          <Button look="quiet" size="small" loading={loading} onClick={onWithdraw}>
            Withdraw request
          </Button>
        </>
      )}
    </p>
  )
}
