import { useState } from 'react'
import { EXCLUSION_MONTHS, type Guarded, TIME_OUT_DAYS } from '#contract/account/guardrails.ts'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { first, must } from '#kernel/must.ts'
import { Alert, Button, Choices, Fact, Facts, Field, formatDateTime, formatUsd, Modal } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import styles from './user-page.module.css'

const amountText = (guarded: Guarded, amount: number) => (guarded === 'time' ? `${amount} min` : formatUsd(amount))

/** The trader's own limits and breaks, read only, and the record of a break that they asked for elsewhere. */
export function UserGuardrails({ user, may }: { user: DeskUserPicture; may: boolean }) {
  const [asking, setAsking] = useState(false)
  const mayLift = useMay(PAGES.users.liftsMatches) && !user.own
  const { limits, check_minutes, block } = user.guardrails
  const set = limits.filter((limit) => limit.max !== null)
  return (
    <>
      {set.length === 0 && check_minutes === null && <p className={styles.quiet}>No limits.</p>}
      <Facts>
        {set.map((limit) => (
          <Fact key={`${limit.guarded} ${limit.period}`} name={`${limit.guarded} a ${limit.period}`}>
            {amountText(limit.guarded, limit.used)} of {amountText(limit.guarded, must(limit.max))}
            {limit.pending &&
              `; ${limit.pending.to === null ? 'no limit' : amountText(limit.guarded, limit.pending.to)} from ${formatDateTime(limit.pending.due_at)}`}
          </Fact>
        ))}
        {check_minutes !== null && <Fact name="Reality check">every {check_minutes} min</Fact>}
      </Facts>
      <ul className={styles.notes}>
        {user.exclusions.map((one) => (
          <li key={one.id}>
            {one.kind === 'time_out' ? 'Time-out' : 'Self-exclusion'} from {formatDateTime(one.starts_at)}{' '}
            {one.ends_at === null ? 'permanently' : `to ${formatDateTime(one.ends_at)}`}
            {one.return_at !== null && `; asked to return, ends ${formatDateTime(one.return_at)}`}
            {one.carried_from !== null && `; carried over from user ${one.carried_from}`}
            {one.lifted_at !== null && `; lifted ${formatDateTime(one.lifted_at)}: another person`}
            {one.operator !== null && ` (${one.operator}: ${one.reason})`}
            {mayLift && one.carried_from !== null && one.lifted_at === null && (
              <LiftMatch user={user} exclusion={one.id} />
            )}
          </li>
        ))}
      </ul>
      {may && !(block?.kind === 'exclusion' && block.until === null) && (
        <div className={styles.links}>
          <Button look="secondary" size="small" onClick={() => setAsking(true)}>
            Record a break
          </Button>
        </div>
      )}
      <RecordBreak user={user} open={asking} onClose={() => setAsking(false)} />
    </>
  )
}

/** Proposes that an account isn't the excluded person's. */
function LiftMatch({ user, exclusion }: { user: DeskUserPicture; exclusion: string }) {
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  async function propose() {
    const done = await act(async () => {
      const body = { exclusion, reason: reason.trim() }
      await call('POST /desk/users/:id/match-lifts', { params: { id: user.id }, body })
      return 'Proposed. A second compliance operator decides in Account changes.'
    })
    if (done) setOpen(false)
  }
  return (
    <div className={styles.links}>
      <Button look="secondary" size="small" onClick={() => setOpen(true)}>
        Not the same person
      </Button>
      <Modal open={open} onClose={() => setOpen(false)} title="Not the same person">
        <div className={styles.locks}>
          <p className={styles.quiet}>
            Compare the IDs of both accounts. Once a second compliance operator approves, this account can deposit and
            trade again.
          </p>
          <Field
            label="Why they're different people"
            error={errorOf('reason')}
            autoComplete="off"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Alert>{error}</Alert>
          <div className={styles.links}>
            <Button loading={loading} disabled={reason.trim() === ''} onClick={() => void propose()}>
              Propose to lift it
            </Button>
            <Button look="quiet" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </div>
        </div>
      </Modal>
    </div>
  )
}

const LENGTHS = [
  ...TIME_OUT_DAYS.map((days) => ({ value: `time_out ${days}`, label: `${days} ${days === 1 ? 'day' : 'days'}` })),
  ...EXCLUSION_MONTHS.map((months) => ({ value: `exclusion ${months}`, label: `${months} months` })),
  { value: 'exclusion permanent', label: 'Permanent' },
]

function RecordBreak({ user, open, onClose }: { user: DeskUserPicture; open: boolean; onClose: () => void }) {
  const [length, setLength] = useState(first(LENGTHS).value)
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const isAlone = useMay(PAGES.users.locks)
  const proposes = length === 'exclusion permanent' && !isAlone
  async function save() {
    const [kind, count] = length.split(' ') as ['time_out' | 'exclusion', string]
    const why = { reason: reason.trim() }
    const done = await act(async () => {
      const months = count === 'permanent' ? null : Number(count)
      await call('POST /desk/users/:id/exclusion', {
        params: { id: user.id },
        body: kind === 'time_out' ? { kind, days: Number(count), ...why } : { kind, months, ...why },
      })
      return proposes
        ? 'Proposed. A time-out of 7 days has started; another operator decides in Account changes.'
        : `The break of ${user.email} has started.`
    })
    if (!done) return
    setReason('')
    onClose()
  }
  return (
    <Modal open={open} onClose={onClose} title="Record a break">
      <div className={styles.locks}>
        <p className={styles.quiet}>
          Only at the trader's request. It starts at once: no deposits, plans or real trades. A break of six months or
          more signs them out and applies to their other accounts. Nobody can remove or shorten it.
        </p>
        <Choices label="How long" value={length} options={LENGTHS} onChange={setLength} />
        <Field
          label="What the trader asked for"
          error={errorOf('reason')}
          autoComplete="off"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {proposes && (
          <Alert kind="info">
            A permanent break takes a second operator. Until they decide, a time-out of 7 days applies.
          </Alert>
        )}
        <Alert>{error}</Alert>
        <div className={styles.links}>
          <Button look="danger" loading={loading} disabled={reason.trim() === ''} onClick={() => void save()}>
            Start the break
          </Button>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Modal>
  )
}
