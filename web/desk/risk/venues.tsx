import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type { DeskVenue } from '#contract/desk/markets/feeds.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { LENGTH } from '#contract/fields.ts'
import { Alert, Badge, Button, Card, cx, formatTime, Modal, Textarea } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import { useMay, useSession } from '../session.ts'
import styles from './venues.module.css'

const OPEN_TRADES =
  'If open real trades use its prices, another risk operator must approve it, and it waits for those that end within five minutes.'

const CONDITION = {
  good: { words: 'Good', tone: 'up' },
  outlier: { words: 'Too far off', tone: 'warn' },
  late: { words: 'Late', tone: 'warn' },
  silent: { words: 'Silent', tone: 'warn' },
  disconnected: { words: 'Disconnected', tone: 'down' },
  quarantined: { words: 'Locked out', tone: 'down' },
  out: { words: 'Taken out', tone: 'neutral' },
} as const satisfies Record<DeskVenue['condition'], { words: string; tone: string }>
const HOUR = 60

/** The exchanges behind live prices: how each is doing, its last hour, and a switch that takes it out. */
export function Venues({ venues }: { venues: readonly DeskVenue[] }) {
  const may = useMay(PAGES.feeds.acts)
  const [target, setTarget] = useState<DeskVenue>()
  return (
    <ul className={styles.venues}>
      {venues.map((venue) => (
        <li key={venue.venue}>
          <Venue venue={venue} may={may} onSwitch={() => setTarget(venue)} />
        </li>
      ))}
      {target && (
        <Modal
          open
          onClose={() => setTarget(undefined)}
          title={
            target.condition === 'out'
              ? `Put ${target.name} back`
              : target.pending
                ? `Withdraw the proposal about ${target.name}`
                : `Take ${target.name} out of all prices`
          }
        >
          <SwitchForm venue={target} onDone={() => setTarget(undefined)} />
        </Modal>
      )}
    </ul>
  )
}

function Venue({ venue, may, onSwitch }: { venue: DeskVenue; may: boolean; onSwitch: () => void }) {
  const { words, tone } = CONDITION[venue.condition]
  const dropped = Object.values(venue.dropped).reduce((sum, count) => sum + count, 0)
  const isOut = venue.condition === 'out'
  const me = useSession((state) => state.operator?.id)
  const isMine = venue.pending !== undefined && venue.pending.operator_id === me
  const isUnused = venue.markets === 0 && venue.hour.length === 0
  return (
    <Card title={venue.name}>
      <div className={styles.head}>
        {isUnused ? <Badge tone="neutral">Not in use</Badge> : <Badge tone={tone}>{words}</Badge>}
        {venue.pending && <Badge tone="warn">Taking out proposed</Badge>}
      </div>
      {isUnused ? (
        <p className={styles.quiet}>It connects once live prices are in use.</p>
      ) : (
        <>
          <Hour venue={venue} />
          <dl className={styles.facts}>
            <Fact name="Connected since" value={venue.connected_since ? formatTime(venue.connected_since) : '–'} />
            <Fact
              name="Counts in"
              value={`${venue.counted} of ${venue.markets} ${venue.markets === 1 ? 'market' : 'markets'}`}
            />
            <Fact name="Messages a second" value={venue.messages_per_second.toFixed(1)} />
            <Fact name="Rejects a second" value={venue.rejects_per_second.toFixed(1)} />
            <Fact name="Clock ahead by" value={venue.lag_ms === undefined ? '–' : `${Math.round(venue.skew_ms)} ms`} />
            <Fact name="Prices late by" value={venue.lag_ms === undefined ? '–' : `${Math.round(venue.lag_ms)} ms`} />
            <Fact name="Rejected so far" value={dropped.toLocaleString('en-US')} />
          </dl>
        </>
      )}
      <Notes venue={venue} />
      {may && (venue.pending === undefined || isMine) && (
        <Button look={isOut || isMine ? 'secondary' : 'danger'} size="small" onClick={onSwitch}>
          {isMine ? 'Withdraw the proposal' : isOut ? 'Put back' : 'Take out'}
        </Button>
      )}
    </Card>
  )
}

/** What else is to know about it now. */
function Notes({ venue }: { venue: DeskVenue }) {
  return (
    <>
      {venue.quarantined_until && (
        <p className={styles.quiet}>
          Locked out after bad prices, at least until {formatTime(venue.quarantined_until)}.
        </p>
      )}
      {venue.last_drop && (
        <p className={styles.quiet}>
          Last dropped at {formatTime(venue.last_drop.at)}: {venue.last_drop.why}
        </p>
      )}
      {venue.symbols_lost > 0 && (
        <p className={styles.quiet}>
          {venue.symbols_lost} {venue.symbols_lost === 1 ? 'symbol' : 'symbols'} would have no price without it.
        </p>
      )}
      {venue.pending && (
        <p className={styles.quiet}>
          Another risk operator must approve it.{' '}
          <Link to={`/venue-switches/${venue.pending.id}`}>Open the proposal</Link>
        </p>
      )}
    </>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

/** The last hour, a bar each minute: its height is the number of messages, its colour the condition. */
function Hour({ venue: { name, hour } }: { venue: DeskVenue }) {
  const most = Math.max(1, ...hour.map((minute) => minute.messages_per_second))
  const good = hour.filter(({ condition }) => condition === 'good').length
  return (
    <svg
      className={styles.hour}
      viewBox={`0 0 ${HOUR * 4} 40`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`The last hour of ${name}: good in ${good} of ${hour.length} minutes`}
    >
      {hour.map((minute, at) => {
        const height = 4 + (36 * minute.messages_per_second) / most
        return (
          <rect
            key={minute.at}
            x={(HOUR - hour.length + at) * 4}
            y={40 - height}
            width={3}
            height={height}
            className={cx(styles.minute, minute.condition !== 'good' && styles.bad)}
          />
        )
      })}
    </svg>
  )
}

function SwitchForm({ venue, onDone }: { venue: DeskVenue; onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const reason = typed.trim()
  const isOut = venue.condition === 'out'
  const lost = venue.symbols_lost
  const send = async (out: boolean) => {
    const body = { out, reason }
    const done = await act(
      async () => (await call('POST /desk/feeds/venues/:venue', { params: { venue: venue.venue }, body })).message,
    )
    if (done) onDone()
  }
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        // The opposite of what is proposed withdraws it.
        void send(isOut === (venue.pending !== undefined))
      }}
    >
      <p>
        {venue.pending
          ? `Proposed: ${venue.pending.reason}`
          : isOut
            ? `Its prices count again as soon as they are good. ${OPEN_TRADES}`
            : lost > 0
              ? `${lost} ${lost === 1 ? 'symbol' : 'symbols'} would have no price, so another risk operator must approve it.`
              : `Every symbol keeps enough other exchanges. ${OPEN_TRADES}`}
      </p>
      <Alert>{error}</Alert>
      <Textarea
        label="Reason"
        error={errorOf('reason')}
        maxLength={LENGTH.reason}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div className={styles.head}>
        <Button
          type="submit"
          look={isOut || venue.pending ? 'primary' : 'danger'}
          loading={loading}
          disabled={reason === ''}
        >
          {venue.pending ? 'Withdraw' : isOut ? 'Put back' : lost > 0 ? 'Propose to take out' : 'Take out'}
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
