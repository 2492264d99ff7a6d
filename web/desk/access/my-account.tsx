import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { confirmPassword, MESSAGE, newPassword, password, text } from '#contract/fields.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  Button,
  Card,
  CardLine,
  CopyText,
  Field,
  formatDateTime,
  ListError,
  Page,
  QrCode,
  SkeletonRows,
  useRules,
} from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useAction } from '../parts/use-action.ts'
import { useSession } from '../session.ts'
import styles from './my-account.module.css'

const SESSIONS = queryOf('GET /desk/auth/sessions', {}, OFTEN_MS)

/** The operator's own password, authenticator and sessions. */
export default function MyAccount() {
  const operator = useSession((state) => state.operator)
  return (
    <Page title="My account" intro={`${operator?.email}: ${operator?.roles.join(', ')}`}>
      <DeskTitle>My account</DeskTitle>
      <Card title="Password">
        <ChangePassword />
      </Card>
      <Card title="Authenticator">
        <ChangeAuthenticator />
      </Card>
      <Card title="Sessions">
        <Sessions />
      </Card>
    </Page>
  )
}

const code = text(20)
const PasswordRules = z.object({ current: password, password: newPassword, confirmPassword, code })
const EMPTY = { current: '', password: '', confirmPassword: '', code: '' }

function ChangePassword() {
  const { field, submit, reset, refuse } = useRules(PasswordRules, EMPTY)
  const [mismatch, setMismatch] = useState(false)
  const { loading, error, act } = useAction(refuse)
  const change = submit(async ({ confirmPassword: again, ...body }) => {
    setMismatch(again !== body.password)
    if (again !== body.password) return
    const done = await act(async () => (await call('POST /desk/auth/password', { body })).message)
    if (done) reset(EMPTY)
  })
  return (
    <form className={styles.form} noValidate onSubmit={change}>
      <Alert>{mismatch ? MESSAGE.passwordMismatch : error}</Alert>
      <Field label="Current password" type="password" autoComplete="current-password" {...field('current')} />
      <Field label="New password" type="password" autoComplete="new-password" {...field('password')} />
      <Field label="Confirm password" type="password" autoComplete="new-password" {...field('confirmPassword')} />
      <Code {...field('code')} />
      <Button type="submit" loading={loading}>
        Change password
      </Button>
    </form>
  )
}

const Code = (field: object) => (
  <Field label="Code" hint="From your authenticator." inputMode="numeric" autoComplete="one-time-code" {...field} />
)

interface Begun {
  secret: string
  otpauth_url: string
  token: string
}

function ChangeAuthenticator() {
  const [begun, setBegun] = useState<Begun>()
  return begun ? <Enrol begun={begun} onDone={() => setBegun(undefined)} /> : <BeginEnrolment onBegun={setBegun} />
}

const BeginRules = z.object({ current: password, code })

function BeginEnrolment({ onBegun }: { onBegun: (begun: Begun) => void }) {
  const { field, submit, refuse } = useRules(BeginRules, { current: '', code: '' })
  const { loading, error, act } = useAction(refuse)
  const begin = submit(async (body) => {
    await act(async () => {
      onBegun((await call('POST /desk/auth/authenticator', { body })).data)
      return 'Scan the new key. The present authenticator works until you confirm it.'
    })
  })
  return (
    <form className={styles.form} noValidate onSubmit={begin}>
      <Alert>{error}</Alert>
      <Field label="Current password" type="password" autoComplete="current-password" {...field('current')} />
      <Code {...field('code')} />
      <Button type="submit" look="secondary" loading={loading}>
        Set up another authenticator
      </Button>
    </form>
  )
}

const EnrolRules = z.object({ code })

function Enrol({ begun, onDone }: { begun: Begun; onDone: () => void }) {
  const { field, submit, refuse } = useRules(EnrolRules, { code: '' })
  const { loading, error, act } = useAction(refuse)
  const confirm = submit(async ({ code: typed }) => {
    const body = { token: begun.token, code: typed }
    if (await act(async () => (await call('POST /desk/auth/authenticator/confirm', { body })).message)) onDone()
  })
  return (
    <>
      <div className={styles.scan}>
        <QrCode text={begun.otpauth_url} label="QR code for your authenticator app" />
        <p className={styles.key}>
          No camera? <CopyText text={begun.secret} what="key" />
        </p>
      </div>
      <form className={styles.form} noValidate onSubmit={confirm}>
        <Alert>{error}</Alert>
        <Field
          label="Code"
          hint="Six digits, from the new authenticator."
          inputMode="numeric"
          autoComplete="one-time-code"
          {...field('code')}
        />
        <Button type="submit" loading={loading}>
          Use this authenticator
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </form>
    </>
  )
}

function Sessions() {
  const sessions = useQuery(SESSIONS)
  const queries = useQueryClient()
  const { loading, error, act } = useAction()
  const problem = problemOf(sessions)
  if (!sessions.data)
    return problem ? <ListError {...problem} /> : <SkeletonRows rows={2} label="Loading your sessions" />
  const rows = sessions.data.data
  const end = (work: () => Promise<{ message: string }>) =>
    void act(async () => {
      const { message } = await work()
      await queries.invalidateQueries({ queryKey: SESSIONS.queryKey })
      return message
    })
  return (
    <>
      <Alert>{error}</Alert>
      {rows.map(({ id, device, address, created_at, last_seen_at, current }) => (
        <div key={id}>
          <CardLine>
            <span>
              {device}, {address}
            </span>
            {current ? (
              <Badge tone="accent">This session</Badge>
            ) : (
              <Button
                look="quiet"
                size="small"
                loading={loading}
                onClick={() => end(() => call('DELETE /desk/auth/sessions/:id', { params: { id } }))}
              >
                End
              </Button>
            )}
          </CardLine>
          <CardLine quiet>
            Signed in {formatDateTime(created_at)}, last seen {formatDateTime(last_seen_at)}
          </CardLine>
        </div>
      ))}
      {rows.length > 1 && (
        <Button look="danger" loading={loading} onClick={() => end(() => call('DELETE /desk/auth/sessions'))}>
          End all other sessions
        </Button>
      )}
    </>
  )
}
