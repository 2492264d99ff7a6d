import { useState } from 'react'
import { useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { email, password, text } from '#contract/fields.ts'
import { messageOf } from '#web/client/index.ts'
import { Alert, Button, Field, useRules } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { signInAs } from '../session.ts'
import styles from './access-card.module.css'
import { AccessCard } from './access-card.tsx'

const Rules = z.object({ email, password, code: text(20) })

/** Operator sign-in. Always requires the authenticator's code. */
export function SignIn() {
  const { field, submit, resetField, refuse } = useRules(Rules, { email: '', password: '', code: '' })
  const link = useSearchParams()[0].get('link') ?? undefined
  const [state, setState] = useState<{ loading: boolean; error?: string }>({ loading: false })

  const send = submit(async (body) => {
    setState({ loading: true })
    try {
      const { data, tokens } = await call('POST /desk/auth/login', { body: link ? { ...body, link } : body })
      signInAs(data, tokens)
    } catch (error) {
      resetField('code')
      setState({ loading: false, error: messageOf(error) })
      refuse(messageOf(error), error)
    }
  })

  return (
    <AccessCard title="Sign in" intro="For operators. A session lasts 12 hours, or until this tab is closed.">
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{state.error}</Alert>
        <Field label="Email" type="email" autoComplete="username" autoFocus {...field('email')} />
        <Field label="Password" type="password" autoComplete="current-password" {...field('password')} />
        <Field
          label="Code"
          hint="Six digits from your authenticator app."
          inputMode="numeric"
          autoComplete="one-time-code"
          {...field('code')}
        />
        <Button type="submit" size="large" wide loading={state.loading}>
          Sign in
        </Button>
      </form>
    </AccessCard>
  )
}
