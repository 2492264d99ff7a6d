import { useState } from 'react'
import { LOCKS, type LockKind } from '#contract/desk/terms.ts'
import type { DeskUserPicture } from '#contract/desk/users.ts'
import { Alert, Button, Checkbox, Field, formatDateTime } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import styles from './user-page.module.css'

const WORDS: Record<LockKind, string> = {
  trading: 'Trading: no new trades',
  deposits: 'Deposits: no new deposits',
  withdrawals: 'Withdrawals: no new withdrawals',
  sign_in: 'Sign-in: blocked, and all sessions end',
}

/** The four locks. Changes are sent together, with one reason. */
export function UserLocks({ user, may }: { user: DeskUserPicture; may: boolean }) {
  const [wanted, setWanted] = useState<Partial<Record<LockKind, boolean>>>({})
  const [reason, setReason] = useState('')
  const { loading, error, act } = useAction()
  const changed = LOCKS.filter((kind) => wanted[kind] !== undefined && wanted[kind] !== user.locks[kind])

  async function save() {
    const done = await act(async () => {
      const body = { ...Object.fromEntries(changed.map((kind) => [kind, wanted[kind]])), reason: reason.trim() }
      await call('POST /desk/users/:id/locks', { params: { id: user.id }, body })
      return `The locks of ${user.email} were changed.`
    })
    if (done) {
      setWanted({})
      setReason('')
    }
  }

  return (
    <div className={styles.locks}>
      {LOCKS.map((kind) => (
        <Checkbox
          key={kind}
          disabled={!may || loading}
          checked={wanted[kind] ?? user.locks[kind]}
          onChange={(event) => setWanted({ ...wanted, [kind]: event.target.checked })}
        >
          {WORDS[kind]}
        </Checkbox>
      ))}
      {changed.length > 0 && (
        <>
          <Alert>{error}</Alert>
          <Field label="Reason" autoComplete="off" value={reason} onChange={(event) => setReason(event.target.value)} />
          <div className={styles.links}>
            <Button look="danger" loading={loading} disabled={reason.trim() === ''} onClick={() => void save()}>
              Change the locks
            </Button>
            <Button look="quiet" onClick={() => setWanted({})}>
              Cancel
            </Button>
          </div>
        </>
      )}
      <ul className={styles.notes}>
        {user.lock_reasons.map((one) => (
          <li key={one.kind} className={styles.quiet}>
            {WORDS[one.kind].split(':')[0]}: {one.reason} ({one.email}, {formatDateTime(one.at)})
          </li>
        ))}
      </ul>
    </div>
  )
}
