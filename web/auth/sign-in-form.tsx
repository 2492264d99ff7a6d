import { Fingerprint } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { email, LENGTH, optionalText, password } from '#contract/fields.ts'
import { CallError, call, takeSignIn, useRequest } from '#web/api/index.ts'
import { Alert, Button, Checkbox, Field, useRules } from '#web/ui/index.ts'
import { provePasskey } from './factors/passkey.ts'
import styles from './screen.module.css'

const Rules = z.object({ email, password, remember: z.boolean(), code: optionalText(LENGTH.factorCode) })

interface SignInFormProps {
  /** The link to reset the password. */
  forgot: ReactNode
  /** Shows a checkbox to stay signed in after the browser is closed. */
  asksToRemember?: boolean
  /** From an e-mailed sign-in link. */
  link?: string | undefined
  /** Called once the session is stored. */
  onSignedIn?: () => void
}

/** E-mail, password, and the second factor once the server asks for it. Stores the user and tokens. */
export function SignInForm({ forgot, asksToRemember, link, onSignedIn }: SignInFormProps) {
  const { field, submit, register, refuse } = useRules(Rules, { email: '', password: '', remember: false, code: '' })
  const [wanted, setWanted] = useState<{ code: boolean; passkey: boolean }>()
  const { loading, error, run } = useRequest((message, cause) => {
    if (!(cause instanceof CallError && cause.code === 'second_factor_required')) return refuse(message, cause)
    const asks = (field: string) => cause.errors.some((one) => one.field === field)
    setWanted({ code: true, passkey: asks('passkey') })
  })

  const shown = link ? { link } : {}
  const send = submit(({ code, ...values }) =>
    run(async () => {
      takeSignIn(await call('POST /auth/login', { body: { ...values, ...shown, ...(code ? { code } : {}) } }))
      onSignedIn?.()
    }),
  )
  const sendPasskey = submit(({ code: _code, remember, ...known }) =>
    run(async () => {
      const options = await call('POST /auth/login/passkey-options', { body: { ...known, ...shown } })
      const passkey = await provePasskey(options.data)
      takeSignIn(await call('POST /auth/login', { body: { ...known, ...shown, remember, passkey } }))
      onSignedIn?.()
    }),
  )

  return (
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
        {asksToRemember && <Checkbox {...register('remember')}>Remember me</Checkbox>}
        {forgot}
      </div>
      <Button type="submit" size="large" wide loading={loading}>
        Sign in
      </Button>
    </form>
  )
}
