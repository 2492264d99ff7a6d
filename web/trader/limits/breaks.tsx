import { useState } from 'react'
import { Link } from 'react-router'
import type { Block } from '#contract/account/guardrails.ts'
import { call, leaveNotice, leaveWithoutReturn, signOut, tapeNow, useRequest } from '#web/api/index.ts'
import { Alert, Button, Card, Checkbox, Choices, Modal, toast } from '#web/ui/index.ts'
import styles from './limits.module.css'
import { showGuardrails } from './use-guardrails.ts'
import { EXCLUSIONS, TIME_OUTS, utcTime } from './words.ts'

const DAY_MS = 86_400_000
const EXCLUDED = 'Your self-exclusion has started, and you are signed out. Sign in to withdraw or to read your history.'

/** A time-out, and a self-exclusion; each with a confirmation. */
export function Breaks({ block }: { block: Block | null }) {
  const [days, setDays] = useState<number>(1)
  const [months, setMonths] = useState<number>(6)
  const [asking, setAsking] = useState<'time-out' | 'exclusion'>()
  const isExcluded = block?.kind === 'exclusion' && !block.can_return && block.return_at === undefined
  return (
    <Card title="Take a break" className={styles.wide}>
      <div className={styles.body}>
        <p className={styles.note}>
          During a break you can't deposit, buy a plan or place trades with real money, and automatic trades with real
          money stop. Open trades settle as usual, and you can always withdraw. Nobody can shorten a break, neither you
          nor we.
        </p>
        <div className={styles.breaks}>
          <TimeOut days={days} onDays={setDays} disabled={isExcluded} onStart={() => setAsking('time-out')} />
          <section className={styles.form} aria-labelledby="self-exclusion">
            <h3 id="self-exclusion">Self-exclusion</h3>
            <p className={styles.note}>
              Signs you out everywhere, and applies to other accounts that we recognize as yours. When the time is over,
              ask to return: 24 hours later you can trade again.
            </p>
            <Choices
              label="Minimum length"
              value={months}
              options={EXCLUSIONS}
              disabled={block?.kind === 'exclusion' && block.until === null}
              className={styles.choices}
              onChange={setMonths}
            />
            <div>
              <Button
                look="danger"
                disabled={block?.kind === 'exclusion' && block.until === null}
                onClick={() => setAsking('exclusion')}
              >
                Exclude myself
              </Button>
            </div>
          </section>
        </div>
      </div>
      <Confirm asking={asking} days={days} months={months} onClose={() => setAsking(undefined)} />
    </Card>
  )
}

interface TimeOutProps {
  days: number
  onDays: (days: number) => void
  disabled: boolean
  onStart: () => void
}

function TimeOut({ days, onDays, disabled, onStart }: TimeOutProps) {
  return (
    <section className={styles.form} aria-labelledby="time-out">
      <h3 id="time-out">Time-out</h3>
      <p className={styles.note}>A pause of a day to six weeks. It ends by itself, and you stay signed in.</p>
      <Choices
        label="How long"
        value={days}
        options={TIME_OUTS}
        disabled={disabled}
        className={styles.choices}
        onChange={onDays}
      />
      <div>
        <Button look="secondary" disabled={disabled} onClick={onStart}>
          Start a time-out
        </Button>
      </div>
    </section>
  )
}

interface ConfirmProps {
  asking: 'time-out' | 'exclusion' | undefined
  days: number
  months: number
  onClose: () => void
}

function Confirm({ asking, days, months, onClose }: ConfirmProps) {
  const [isUnderstood, setIsUnderstood] = useState(false)
  const { loading, error, run } = useRequest()
  const isTimeOut = asking !== 'exclusion'
  const close = () => {
    setIsUnderstood(false)
    onClose()
  }
  const start = () =>
    run(async () => {
      if (isTimeOut) {
        const { message, data } = await call('POST /guardrails/time-out', { body: { days } })
        showGuardrails(data)
        toast.success(message ?? '')
      } else {
        await call('POST /guardrails/exclusion', { body: { months: months === 0 ? null : months } })
        leaveNotice({ kind: 'success', message: EXCLUDED })
        leaveWithoutReturn()
        signOut()
        window.location.assign('/')
      }
      close()
    })
  return (
    <Modal
      open={asking !== undefined}
      onClose={close}
      title={isTimeOut ? 'Start a time-out?' : 'Exclude yourself?'}
      sheet
    >
      <div className={styles.form}>
        {isTimeOut ? <TimeOutTerms days={days} /> : <ExclusionTerms months={months} />}
        <Checkbox checked={isUnderstood} onChange={(event) => setIsUnderstood(event.target.checked)}>
          I understand that nobody can shorten this.
        </Checkbox>
        <Alert>{error}</Alert>
        <div className={styles.buttons}>
          <Button look="secondary" onClick={close}>
            Cancel
          </Button>
          <Button
            look={isTimeOut ? 'primary' : 'danger'}
            loading={loading}
            disabled={!isUnderstood}
            onClick={() => void start()}
          >
            {isTimeOut ? 'Start the time-out' : 'Exclude me'}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function TimeOutTerms({ days }: { days: number }) {
  return (
    <p>
      Until <strong>{utcTime(new Date(tapeNow() + days * DAY_MS).toISOString())}</strong> you can't deposit, buy a plan
      or place trades with real money.
    </p>
  )
}

function ExclusionTerms({ months }: { months: number }) {
  const label = EXCLUSIONS.find((one) => one.value === months)?.label ?? ''
  return (
    <>
      <p>
        <strong>{months === 0 ? 'Permanently' : `For at least ${label}`}</strong> you can't deposit, buy a plan or place
        trades with real money, on this account or others that we recognize as yours.
      </p>
      <ul className={styles.list}>
        <li>You are signed out on all devices. You can sign in again to withdraw and to read your history.</li>
        <li>Automatic trades stop, and a plan request is withdrawn. Your plan is suspended and isn't refunded.</li>
        <li>
          Your balance stays yours. You can <Link to="/user/withdraw-fund">withdraw it</Link> before or after.
        </li>
      </ul>
    </>
  )
}
