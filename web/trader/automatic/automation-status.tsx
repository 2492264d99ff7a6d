import { CirclePause, CirclePlay, CircleStop, OctagonX, Power } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Automation } from '#contract/trading/automatic.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Badge, Button, Change, Checkbox, formatUsdSigned, Modal, toast } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import { countsText, stateText } from './words.ts'

const STATES = {
  Off: { tone: 'neutral', icon: Power },
  Running: { tone: 'up', icon: CirclePlay },
  Paused: { tone: 'warn', icon: CirclePause },
  Stopped: { tone: 'down', icon: OctagonX },
} as const

interface AutomationStatusProps {
  automation: Automation
  /** The settings form has changes that aren't saved. */
  isDirty: boolean
  /** Saves them; resolves to false if a field is wrong. */
  onSave: () => Promise<boolean>
  onChanged: (automation: Automation) => void
}

/** The state, today's results, and the buttons that start, pause and stop. */
export function AutomationStatus({ automation, isDirty, onSave, onChanged }: AutomationStatusProps) {
  const { mode, state, missing, switched_off } = automation
  const [confirming, setConfirming] = useState(false)
  const { loading, run } = useRequest((message) => toast.error(message))
  // A pause after losses ends by itself.
  const shown = state === 'Running' && automation.idle?.reason === 'pause' ? 'Paused' : state
  const { tone, icon: Icon } = STATES[shown]

  const start = () =>
    run(async () => {
      const { message, data } = await call('POST /automatic/start', { body: { mode, confirmed: mode === 'real' } })
      setConfirming(false)
      onChanged(data)
      toast.success(message ?? '')
    })
  const pressStart = async () => {
    if ((isDirty || !automation.saved) && !(await onSave())) return
    if (mode === 'real') setConfirming(true)
    else await start()
  }
  const end = (name: EndCall) =>
    run(async () => {
      const { message, data } = await call(name, { body: { mode } })
      onChanged(data)
      toast.success(message ?? '')
    })

  return (
    <section className={styles.card} aria-label="State of your automatic trades">
      <div className={styles.stateLine}>
        <Badge tone={tone}>
          <Icon aria-hidden />
          {shown}
        </Badge>
        <p className={styles.stateText} role="status">
          {stateText(automation)}
        </p>
      </div>

      <Figures automation={automation} />

      <Obstacles automation={automation} />
      <Buttons
        state={state}
        loading={loading}
        canStart={missing.length === 0 && switched_off.length < automation.settings.strategies.length}
        onStart={() => void pressStart()}
        onEnd={(name) => void end(name)}
      />
      <ConfirmStart
        open={confirming}
        measured={automation.measured}
        loading={loading}
        onClose={() => setConfirming(false)}
        onStart={() => void start()}
      />
    </section>
  )
}

/** What the account is missing, and which of its strategies are switched off. */
function Obstacles({ automation: { state, missing, switched_off } }: { automation: Automation }) {
  return (
    <>
      {missing.length > 0 && (
        <ul className={styles.missing}>
          {missing.map(({ text, path }) => (
            <li key={path}>
              <Link to={path}>{text}</Link>
            </li>
          ))}
        </ul>
      )}
      {state !== 'Running' &&
        [...new Set(switched_off.map(({ why }) => why))].map((why) => (
          <Alert key={why} kind="warning">
            This strategy is switched off: {why} Choose another one.
          </Alert>
        ))}
    </>
  )
}

/** What was measured of each followed strategy. */
export const Measured = ({ texts }: { texts: readonly string[] }) => (
  <div className={styles.measured}>
    {texts.map((text) => (
      <p key={text}>{text}.</p>
    ))}
  </div>
)

interface ConfirmStartProps {
  open: boolean
  measured: readonly string[]
  loading: boolean
  onClose: () => void
  onStart: () => void
}

/** Shown before real money is traded: the strategies' results so far, and the hit rates that they need. */
function ConfirmStart({ open, measured, loading, onClose, onStart }: ConfirmStartProps) {
  const [isRead, setIsRead] = useState(false)
  return (
    <Modal open={open} onClose={onClose} title="Trade real money automatically?" sheet>
      <div className={styles.confirm}>
        <Measured texts={measured} />
        <p>Past signals don't predict the next ones. You can lose every stake. Your stops limit your losses.</p>
        <Checkbox checked={isRead} onChange={(event) => setIsRead(event.target.checked)}>
          I've read {measured.length === 1 ? "this strategy's" : "these strategies'"} results so far.
        </Checkbox>
        <div className={styles.answers}>
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={loading} disabled={!isRead} onClick={onStart}>
            Start with real money
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function Figures({ automation: { today, total, settings } }: Pick<AutomationStatusProps, 'automation'>) {
  return (
    <dl className={styles.figures}>
      <div className={styles.used}>
        <dt>Trades today</dt>
        <dd>
          <strong>
            {today.used} of {today.limit}
          </strong>{' '}
          used
          <progress max={Math.max(1, today.limit)} value={Math.min(today.used, today.limit)} aria-hidden />
        </dd>
      </div>
      <div>
        <dt>Result today</dt>
        <dd>
          <Change amount={today.result} />
          <span className={styles.quiet}>{countsText(today)}</span>
          <Target amount={settings.profit_a_day} verb="waits" />
        </dd>
      </div>
      <div>
        <dt>Since the start</dt>
        <dd>
          <Change amount={total.result} />
          <span className={styles.quiet}>{countsText(total)}</span>
          <Target amount={settings.profit_in_all} verb="stops" />
        </dd>
      </div>
      <div>
        <dt>Losses in a row</dt>
        <dd>
          {total.losses_in_row}
          {settings.losses_in_row !== null && <span className={styles.quiet}>stops at {settings.losses_in_row}</span>}
          {settings.pause_losses !== null && <span className={styles.quiet}>pauses at {settings.pause_losses}</span>}
        </dd>
      </div>
    </dl>
  )
}

/** The take-profit of a result. */
const Target = ({ amount, verb }: { amount: number | null; verb: string }) =>
  amount === null ? null : (
    <span className={styles.quiet}>
      {verb} at {formatUsdSigned(amount)}
    </span>
  )

type EndCall = 'POST /automatic/pause' | 'POST /automatic/stop'

interface ButtonsProps {
  state: Automation['state']
  loading: boolean
  canStart: boolean
  onStart: () => void
  onEnd: (name: EndCall) => void
}

function Buttons({ state, loading, canStart, onStart, onEnd }: ButtonsProps) {
  const isRunning = state === 'Running'
  return (
    <div className={styles.buttons}>
      {isRunning ? (
        <Button look="secondary" size="large" loading={loading} onClick={() => onEnd('POST /automatic/pause')}>
          <CirclePause aria-hidden /> Pause
        </Button>
      ) : (
        <Button size="large" loading={loading} disabled={!canStart} onClick={onStart}>
          <CirclePlay aria-hidden /> {state === 'Paused' ? 'Resume' : 'Start'}
        </Button>
      )}
      {(isRunning || state === 'Paused') && (
        <Button look="danger" size="large" loading={loading} onClick={() => onEnd('POST /automatic/stop')}>
          <CircleStop aria-hidden /> Stop
        </Button>
      )}
    </div>
  )
}
