import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import * as z from 'zod/mini'
import type { Closure } from '#contract/account/closure.ts'
import { password } from '#contract/fields.ts'
import { call, problemOf, queryOf, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, formatDateTime, ListError, Modal, SkeletonRows, toast, useRules } from '#web/ui/index.ts'
import styles from './screen.module.css'

const CLOSURE = queryOf('GET /auth/closure')
const Rules = z.object({ password })

/** Closes the account: what has to be settled first, what is erased and what is kept. */
export function CloseAccount() {
  const closure = useQuery({ ...CLOSURE, staleTime: 0, refetchOnWindowFocus: true })
  const [asks, setAsks] = useState(false)
  const problem = problemOf(closure)
  if (!closure.data)
    return problem ? (
      <ListError {...problem} />
    ) : (
      <SkeletonRows rows={2} label="Loading whether your account can be closed" />
    )
  const { due_at, first } = closure.data.data
  if (due_at !== null) return <Closing dueAt={due_at} />
  return (
    <div className={styles.form}>
      <p>
        Your account closes 14 days after you ask, and you can keep it until then. Then we erase your password, second
        factor, picture, phone number and settings. Identity, payments and trades stay for as long as the law asks:{' '}
        <Link to="/privacy">our privacy page says how long</Link>. A self-exclusion stays in force.
      </p>
      {first.map((words) => (
        <Alert key={words} kind="info">
          {words}
        </Alert>
      ))}
      <div>
        <Button look="danger" disabled={first.length > 0} onClick={() => setAsks(true)}>
          Close my account
        </Button>
      </div>
      <Modal open={asks} onClose={() => setAsks(false)} title="Close my account">
        <AskForm onAsked={() => setAsks(false)} />
      </Modal>
    </div>
  )
}

function AskForm({ onAsked }: { onAsked: () => void }) {
  const client = useQueryClient()
  const { field, submit, refuse } = useRules(Rules, { password: '' })
  const { loading, error, run } = useRequest(refuse)
  const ask = submit((body) =>
    run(async () => {
      const { data }: { data: Closure } = await call('POST /auth/closure', { body })
      client.setQueryData(CLOSURE.queryKey, { status: true, data })
      onAsked()
    }),
  )
  return (
    <form className={styles.form} noValidate onSubmit={ask}>
      <p>Your other devices are signed out and automatic trades stop now. The account closes in 14 days.</p>
      <Alert>{error}</Alert>
      <Field label="Password" type="password" autoComplete="current-password" autoFocus {...field('password')} />
      <Button type="submit" look="danger" size="large" wide loading={loading}>
        Close in 14 days
      </Button>
    </form>
  )
}

function Closing({ dueAt }: { dueAt: string }) {
  const client = useQueryClient()
  const { loading, run } = useRequest(toast.error)
  const keep = () =>
    void run(async () => {
      toast.success((await call('DELETE /auth/closure')).message)
      await client.invalidateQueries({ queryKey: CLOSURE.queryKey })
    })
  return (
    <div className={styles.form}>
      <Alert kind="warning">Your account closes on {formatDateTime(dueAt)}.</Alert>
      <div>
        <Button loading={loading} onClick={keep}>
          Keep my account
        </Button>
      </div>
    </div>
  )
}
