import { useState } from 'react'
import type { DeskUserPicture } from '#contract/desk/people/users.ts'
import { LOCKS, type LockKind } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { Alert, Button, Checkbox, Field, formatDateTime } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { useAction } from '../parts/use-action.ts'
import { useSession } from '../session.ts'
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
  const { loading, error, errorOf, act } = useAction()
  const me = useSession(({ operator }) => operator)
  const changed = LOCKS.filter((kind) => wanted[kind] !== undefined && wanted[kind] !== user.locks[kind])
  const lifted = changed.filter((kind) => wanted[kind] === false && !isOfRole(user, kind, me?.roles ?? []))
  const mixed = lifted.length > 0 && lifted.length < changed.length

  async function save() {
    const done = await act(async () => {
      const body = { ...Object.fromEntries(changed.map((kind) => [kind, wanted[kind]])), reason: reason.trim() }
      if (lifted.length > 0) {
        await call('POST /desk/users/:id/unlocks', {
          params: { id: user.id },
          body: { locks: lifted, reason: body.reason },
        })
        return 'Proposed. Another operator decides in Account changes.'
      }
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
          {lifted.length > 0 && (
            <Alert kind="info">
              {mixed
                ? 'Another role set one of these locks. Unlock it separately: a second operator decides.'
                : 'Another role set this lock. A second operator decides.'}
            </Alert>
          )}
          <Alert>{error}</Alert>
          <Field
            label="Reason"
            error={errorOf('reason')}
            autoComplete="off"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <div className={styles.links}>
            <Button
              look="danger"
              loading={loading}
              disabled={mixed || reason.trim() === ''}
              onClick={() => void save()}
            >
              {lifted.length > 0 ? 'Propose to unlock' : 'Change the locks'}
            </Button>
            <Button look="quiet" onClick={() => setWanted({})}>
              Cancel
            </Button>
          </div>
        </>
      )}
      <LockReasons reasons={user.lock_reasons} />
    </div>
  )
}

/** Whether one of these roles set the lock. What another role locked takes a second operator to unlock. */
const isOfRole = (user: DeskUserPicture, kind: LockKind, roles: readonly OperatorRole[]): boolean =>
  user.lock_reasons.some((one) => one.kind === kind && one.roles.some((role) => roles.includes(role)))

function LockReasons({ reasons }: { reasons: DeskUserPicture['lock_reasons'] }) {
  return (
    <ul className={styles.notes}>
      {reasons.map((one) => (
        <li key={one.kind} className={styles.quiet}>
          {WORDS[one.kind].split(':')[0]}: {one.reason} ({one.email}, {formatDateTime(one.at)})
        </li>
      ))}
    </ul>
  )
}
