import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Clock } from 'lucide-react'
import { useState } from 'react'
import * as z from 'zod/mini'
import type { EmailChange } from '#contract/account/email-change.ts'
import { email, password } from '#contract/fields.ts'
import { call, problemOf, queryOf, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Button, Field, formatDateTime, ListError, Modal, SkeletonRows, toast, useRules } from '#web/ui/index.ts'
import screen from '../screen.module.css'
import styles from './email-address.module.css'

const CHANGE = queryOf('GET /auth/email-change')
const Rules = z.object({ email, password })

/** The account's e-mail address, and its change: who has confirmed, and what is left to do. */
export function EmailAddress() {
  const change = useQuery({ ...CHANGE, staleTime: 0, refetchOnWindowFocus: true })
  const { email: current, email_verified } = useUser()
  const [asks, setAsks] = useState(false)
  const problem = problemOf(change)
  if (!change.data)
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={2} label="Loading your e-mail address" />
  const waiting = change.data.data
  return (
    <div className={styles.card}>
      <p className={styles.current}>{current}</p>
      {waiting ? (
        <Waiting change={waiting} />
      ) : (
        <>
          <p className={styles.intro}>
            Both your old and your new address confirm a change. After it, withdrawals are paused for 24 hours and your
            other devices are signed out.
          </p>
          {!email_verified && <Alert kind="info">Confirm this address first, then you can change it.</Alert>}
          <div>
            <Button look="secondary" disabled={!email_verified} onClick={() => setAsks(true)}>
              Change e-mail address
            </Button>
          </div>
        </>
      )}
      <Modal open={asks} onClose={() => setAsks(false)} title="Change your e-mail address">
        <AskForm onAsked={() => setAsks(false)} />
      </Modal>
    </div>
  )
}

function AskForm({ onAsked }: { onAsked: () => void }) {
  const client = useQueryClient()
  const { field, submit, refuse } = useRules(Rules, { email: '', password: '' })
  const { loading, error, run } = useRequest(refuse)
  const ask = submit((body) =>
    run(async () => {
      const reply = await call('POST /auth/email-change', { body })
      client.setQueryData(CHANGE.queryKey, { status: true, data: reply.data })
      toast.success(reply.message ?? '')
      onAsked()
    }),
  )
  return (
    <form className={screen.form} noValidate onSubmit={ask}>
      <Alert>{error}</Alert>
      <Field label="New e-mail" type="email" autoComplete="email" autoFocus {...field('email')} />
      <Field label="Password" type="password" autoComplete="current-password" {...field('password')} />
      <p className={styles.intro}>
        You need both mailboxes. If you've lost the old one, contact support instead: they check who you are.
      </p>
      <Button type="submit" size="large" wide loading={loading}>
        Send both links
      </Button>
    </form>
  )
}

/** What a change waits for. */
function Waiting({ change }: { change: EmailChange }) {
  const client = useQueryClient()
  const { loading, run } = useRequest(toast.error)
  const cancel = () =>
    void run(async () => {
      toast.success((await call('DELETE /auth/email-change')).message)
      client.setQueryData(CHANGE.queryKey, { status: true, data: null })
    })
  return (
    <section className={styles.waiting} aria-label="Change under way">
      <p className={styles.intro}>
        Changing to <strong className={styles.address}>{change.email}</strong>. Open the link in both mailboxes before{' '}
        {formatDateTime(change.expires_at)}.
      </p>
      <ul className={styles.steps}>
        <Step done={change.old_confirmed}>Old address</Step>
        <Step done={change.new_confirmed}>New address</Step>
      </ul>
      <div>
        <Button look="quiet" size="small" loading={loading} onClick={cancel}>
          Cancel the change
        </Button>
      </div>
    </section>
  )
}

const Step = ({ done, children }: { done: boolean; children: string }) => (
  <li className={styles.step}>
    {done ? <Check className={styles.done} aria-hidden /> : <Clock aria-hidden />}
    {children}: {done ? 'confirmed' : 'waiting for its link'}
  </li>
)
