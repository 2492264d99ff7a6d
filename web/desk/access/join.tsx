import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { confirmPassword, MESSAGE, newPassword, text } from '#contract/fields.ts'
import { messageOf } from '#web/client/index.ts'
import { Alert, Button, CopyText, Field, QrCode, toast, useRules } from '#web/ui/index.ts'
import { call } from '../api.ts'
import styles from './access-card.module.css'
import { AccessCard } from './access-card.tsx'

const PasswordRules = z.object({ password: newPassword, confirmPassword })
const CodeRules = z.object({ code: text(20) })
interface Begun {
  email: string
  secret: string
  otpauth_url: string
}

/** Accepts an invitation: sets a password, then the authenticator required for every sign-in. */
export function Join() {
  const [params] = useSearchParams()
  const token = params.get('token') ?? ''
  const [begun, setBegun] = useState<Begun>()
  if (!token) {
    return (
      <AccessCard
        title="This link is incomplete"
        intro="Open the full link from your invitation, or ask for a new one."
      >
        {null}
      </AccessCard>
    )
  }
  return begun ? <Enrol token={token} begun={begun} /> : <ChoosePassword token={token} onBegun={setBegun} />
}

function ChoosePassword({ token, onBegun }: { token: string; onBegun: (begun: Begun) => void }) {
  const { field, submit, refuse } = useRules(PasswordRules, { password: '', confirmPassword: '' })
  const [state, setState] = useState<{ loading: boolean; error?: string }>({ loading: false })
  const send = submit(async ({ password, confirmPassword: again }) => {
    if (password !== again) return setState({ loading: false, error: MESSAGE.passwordMismatch })
    setState({ loading: true })
    try {
      onBegun((await call('POST /desk/auth/join', { body: { token, password } })).data)
    } catch (error) {
      setState({ loading: false, error: messageOf(error) })
      refuse(messageOf(error), error)
    }
  })
  return (
    <AccessCard title="Join the desk" intro="Step 1 of 2: choose a password.">
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{state.error}</Alert>
        <Field label="Password" type="password" autoComplete="new-password" autoFocus {...field('password')} />
        <Field label="Confirm password" type="password" autoComplete="new-password" {...field('confirmPassword')} />
        <Button type="submit" size="large" wide loading={state.loading}>
          Continue
        </Button>
      </form>
    </AccessCard>
  )
}

function Enrol({ token, begun }: { token: string; begun: Begun }) {
  const navigate = useNavigate()
  const { field, submit, refuse } = useRules(CodeRules, { code: '' })
  const [state, setState] = useState<{ loading: boolean; error?: string }>({ loading: false })
  const send = submit(async ({ code }) => {
    setState({ loading: true })
    try {
      const { message } = await call('POST /desk/auth/join/confirm', { body: { token, code } })
      toast.success(message)
      void navigate('/signin', { replace: true })
    } catch (error) {
      setState({ loading: false, error: messageOf(error) })
      refuse(messageOf(error), error)
    }
  })
  return (
    <AccessCard
      title="Set up your authenticator"
      intro={`Step 2 of 2: scan this with your authenticator app for ${begun.email}, then enter the code it shows.`}
    >
      <div className={styles.scan}>
        <QrCode text={begun.otpauth_url} label="QR code for your authenticator app" />
        <p className={styles.key}>
          No camera? <CopyText text={begun.secret} what="key" />
        </p>
      </div>
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{state.error}</Alert>
        <Field
          label="Code"
          hint="Six digits."
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          {...field('code')}
        />
        <Button type="submit" size="large" wide loading={state.loading}>
          Join
        </Button>
      </form>
    </AccessCard>
  )
}
