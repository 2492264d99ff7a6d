import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import * as z from 'zod/mini'
import { email, optionalText, password } from '#contract/fields.ts'
import { CallError, call, signIn, useRequest } from '#web/api/index.ts'
import { Alert, Button, Checkbox, Field, useRules } from '#web/ui/index.ts'
import { provePasskey } from './passkey.ts'
import styles from './screen.module.css'
import { Screen } from './screen.tsx'

const Rules = z.object({ email, password, remember: z.boolean(), code: optionalText(20) })

/** Sign-in. What follows (home, or the place that was asked for) is the guard's, which sees the session appear. */
export function SignIn() {
  const { field, submit, register } = useRules(Rules, { email: '', password: '', remember: false, code: '' })
  const [wanted, setWanted] = useState<{ code: boolean; passkey: boolean }>()
  const { loading, error, run } = useRequest((_message, cause) => {
    if (!(cause instanceof CallError && cause.code === 'second_factor_required')) return
    const asks = (field: string) => cause.errors.some((one) => one.field === field)
    setWanted({ code: true, passkey: asks('passkey') })
  })

  const send = submit(({ code, ...values }) =>
    run(async () => {
      const answer = await call('POST /auth/login', { body: code ? { ...values, code } : values })
      signIn(answer.data, answer.tokens)
    }),
  )
  const sendPasskey = submit(({ code: _code, remember, ...known }) =>
    run(async () => {
      const options = await call('POST /auth/login/passkey-options', { body: known })
      const passkey = await provePasskey(options.data)
      const answer = await call('POST /auth/login', { body: { ...known, remember, passkey } })
      signIn(answer.data, answer.tokens)
    }),
  )

  return (
    <Screen
      title="Welcome back"
      intro="Sign in to your trading account."
      foot={
        <span>
          New here? <Link to="/auth/signup">Create an account</Link>
        </span>
      }
    >
      <form className={styles.form} noValidate onSubmit={send}>
        <Alert>{error}</Alert>
        <Field label="Email" type="email" autoComplete="email" inputMode="email" {...field('email')} />
        <Field label="Password" type="password" autoComplete="current-password" {...field('password')} />
        {wanted?.passkey && (
          <Button look="secondary" size="large" wide disabled={loading} onClick={sendPasskey}>
            <Fingerprint aria-hidden /> Use my passkey
          </Button>
        )}
        {wanted?.code && (
          <Field
            label="Code"
            hint="From your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            autoFocus
            {...field('code')}
          />
        )}
        <div className={styles.row}>
          <Checkbox {...register('remember')}>Remember me</Checkbox>
          <Link to="/auth/forgot-password">Forgot password?</Link>
        </div>
        <Button type="submit" size="large" wide loading={loading}>
          Sign in
        </Button>
      </form>
    </Screen>
  )
}
