import { useState } from 'react'
import { Link } from 'react-router'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { must } from '#kernel/must.ts'
import { Alert, Button, Fact, Facts, Field, formatDateTime } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import styles from './user-page.module.css'

/** The trader's second factor, and the form to have it removed if they lost it. Two compliance operators decide. */
export function UserFactor({ user, may }: { user: DeskUserPicture; may: boolean }) {
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const { totp, passkeys, recovery_codes_left } = user.second_factor
  const on = totp || passkeys > 0
  const current = user.factor_resets.find(({ status }) => status === 'Pending' || status === 'Approved')

  async function propose() {
    const done = await act(async () => {
      const body = { reason: reason.trim() }
      await call('POST /desk/users/:id/factor-resets', { params: { id: user.id }, body })
      return 'Proposed. Another compliance operator decides.'
    })
    if (!done) return
    setReason('')
    setOpen(false)
  }

  return (
    <div className={styles.locks}>
      <Facts>
        <Fact name="Authenticator app">{totp ? 'On' : 'Off'}</Fact>
        <Fact name="Passkeys">{passkeys}</Fact>
        {on && <Fact name="Recovery codes left">{recovery_codes_left}</Fact>}
      </Facts>
      {current && (
        <Alert kind="warning">
          {current.status === 'Pending'
            ? `${current.proposed_by.email} proposed to remove it. `
            : `It will be removed on ${formatDateTime(must(current.due_at))} unless the trader stops it. `}
          <Link to={`/factor-resets/${current.id}?user=${user.id}`}>Open</Link>
        </Alert>
      )}
      {may && on && !current && !open && (
        <div>
          <Button look="secondary" size="small" onClick={() => setOpen(true)}>
            Propose removal
          </Button>
        </div>
      )}
      {open && !current && (
        <>
          <Alert>{error}</Alert>
          <Field
            label="Reason"
            error={errorOf('reason')}
            hint="How you verified the trader's identity."
            autoComplete="off"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <div className={styles.links}>
            <Button look="danger" loading={loading} disabled={reason.trim() === ''} onClick={() => void propose()}>
              Propose
            </Button>
            <Button look="quiet" onClick={() => setOpen(false)}>
              Cancel
            </Button>
          </div>
        </>
      )}
      <ul className={styles.notes}>
        {user.factor_resets
          .filter((one) => one !== current)
          .map((one) => (
            <li key={one.id} className={styles.quiet}>
              {one.status}: {one.reason} ({one.proposed_by.email}, {formatDateTime(one.created_at)})
            </li>
          ))}
      </ul>
    </div>
  )
}
