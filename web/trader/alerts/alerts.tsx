import { BellPlus, BellRing, Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ALERTS_MAX, type Alert, GUEST_ALERTS_MAX } from '#contract/trading/alerts.ts'
import { AlertDialog, alertWords, armAgain, deleteAlert, useAlerts } from '#web/alerts/index.ts'
import { problemOf, useIsGuest, useRequest } from '#web/api/index.ts'
import {
  Button,
  Card,
  EmptyState,
  formatDateTime,
  formatPrice,
  ListError,
  Page,
  SkeletonRows,
  toast,
} from '#web/ui/index.ts'
import styles from './alerts.module.css'

/** What is open over the list: a new alert, or one to change. */
type Open = 'new' | Alert | undefined

/** The page of alerts: those that wait, and those that fired. */
export function Alerts() {
  const [open, setOpen] = useState<Open>()
  return (
    <Page
      title="Alerts"
      intro="Get notified when a price, a move or an indicator reaches what you set."
      actions={
        <Button onClick={() => setOpen('new')}>
          <BellPlus aria-hidden />
          New alert
        </Button>
      }
    >
      <List onOpen={setOpen} />
      <AlertDialog
        open={open !== undefined}
        onClose={() => setOpen(undefined)}
        alert={open === 'new' ? undefined : open}
      />
    </Page>
  )
}

function List({ onOpen }: { onOpen: (open: Open) => void }) {
  const query = useAlerts(true)
  const problem = problemOf(query)
  const most = useIsGuest() ? GUEST_ALERTS_MAX : ALERTS_MAX
  if (problem && !query.data) return <ListError {...problem} message="We couldn't load your alerts." />
  if (!query.data) return <SkeletonRows rows={6} label="Loading your alerts" />
  const alerts = query.data.data
  if (alerts.length === 0)
    return (
      <Card>
        <EmptyState
          icon={<BellRing />}
          title="No alerts yet"
          actions={
            <Button look="secondary" onClick={() => onOpen('new')}>
              Set your first alert
            </Button>
          }
        >
          Choose a symbol and a price. We watch it for you, also while the app is closed. On the chart, the bell in the
          toolbar does the same.
        </EmptyState>
      </Card>
    )
  const armed = alerts.filter(({ fired }) => !fired)
  const fired = alerts.filter((one) => one.fired)
  return (
    <>
      {armed.length > 0 && <Section title="Armed" alerts={armed} onOpen={onOpen} />}
      {fired.length > 0 && <Section title="Fired" alerts={fired} onOpen={onOpen} />}
      <p className={styles.note}>
        {alerts.length} of {most} alerts. <Link to="/user/notifications">Where notifications go</Link>
      </p>
    </>
  )
}

interface SectionProps {
  title: string
  alerts: readonly Alert[]
  onOpen: (open: Open) => void
}

function Section({ title, alerts, onOpen }: SectionProps) {
  return (
    <Card title={title}>
      <ul className={styles.list}>
        {alerts.map((alert) => (
          <Row key={alert.id} alert={alert} onOpen={onOpen} />
        ))}
      </ul>
    </Card>
  )
}

function Row({ alert, onOpen }: { alert: Alert; onOpen: (open: Open) => void }) {
  const { id, symbol, fired, unchecked } = alert
  const { loading, run } = useRequest((message) => toast.error(message))
  const words = alertWords(alert)
  const name = `${symbol} ${words}`
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <p className={styles.what}>
          <Link to={`/user/home?symbol=${symbol}`}>{symbol}</Link> {words}
        </p>
        <p className={styles.when}>{fired ? firedWords(fired) : armedWords(alert)}</p>
        {unchecked && (
          <p className={styles.unchecked}>
            Prices from {formatDateTime(unchecked.from)} to {formatDateTime(unchecked.until)} were not checked.
          </p>
        )}
      </div>
      <div className={styles.buttons}>
        {fired && (
          <Button
            look="secondary"
            size="small"
            loading={loading}
            aria-label={`Arm again ${name}`}
            onClick={() => void run(() => armAgain(id))}
          >
            <RotateCcw aria-hidden />
            Arm again
          </Button>
        )}
        <Button look="quiet" icon aria-label={`Change ${name}`} title="Change" onClick={() => onOpen(alert)}>
          <Pencil aria-hidden />
        </Button>
        <Button
          look="quiet"
          icon
          aria-label={`Delete ${name}`}
          title="Delete"
          onClick={() =>
            void run(async () => {
              await deleteAlert(id)
              toast.success('Alert deleted.')
            })
          }
        >
          <Trash2 aria-hidden />
        </Button>
      </div>
    </li>
  )
}

const armedWords = ({ base, armed_at }: Alert) => `Set at ${formatPrice(base)} on ${formatDateTime(armed_at)}`

function firedWords({ price, at, value }: NonNullable<Alert['fired']>): string {
  const was = value === undefined ? '' : `Value ${Number(value.toFixed(4))}, price `
  return `${was}${formatPrice(price)} at ${formatDateTime(at)}`
}
