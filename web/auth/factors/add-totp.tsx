import { useState } from 'react'
import * as z from 'zod/mini'
import { MESSAGE, password, text } from '#contract/fields.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, CopyText, Field, QrCode, useRules } from '#web/ui/index.ts'
import screen from '../screen.module.css'
import styles from './second-factor.module.css'

const PasswordRules = z.object({ password })
const CodeRules = z.object({ code: text(20, MESSAGE.empty) })

/** Two steps: the password, then a code from the new authenticator. */
export function AddTotp({ onAdded }: { onAdded: (recoveryCodes: string[]) => void }) {
  const [begun, setBegun] = useState<{ secret: string; otpauth_url: string }>()
  const { field, submit, refuse } = useRules(PasswordRules, { password: '' })
  const { loading, error, run } = useRequest(refuse)
  if (begun) return <ConfirmTotp begun={begun} onAdded={onAdded} />

  const begin = submit((body) =>
    run(async () => {
      setBegun((await call('POST /auth/2fa/totp', { body })).data)
    }),
  )
  return (
    <form className={screen.form} noValidate onSubmit={begin}>
      <p className={styles.intro}>Enter your password to confirm it's you.</p>
      <Alert>{error}</Alert>
      <Field label="Password" type="password" autoComplete="current-password" autoFocus {...field('password')} />
      <Button type="submit" loading={loading} wide>
        Continue
      </Button>
    </form>
  )
}

function ConfirmTotp({
  begun,
  onAdded,
}: {
  begun: { secret: string; otpauth_url: string }
  onAdded: (recoveryCodes: string[]) => void
}) {
  const { field, submit, refuse } = useRules(CodeRules, { code: '' })
  const { loading, error, run } = useRequest(refuse)
  const confirm = submit((body) =>
    run(async () => {
      onAdded((await call('POST /auth/2fa/totp/confirm', { body })).data.recovery_codes)
    }),
  )
  return (
    <form className={screen.form} noValidate onSubmit={confirm}>
      <p className={styles.intro}>Scan this with your authenticator app, then enter the code it shows.</p>
      <div className={styles.scan}>
        <QrCode text={begun.otpauth_url} label="QR code for your authenticator app" />
        <div>
          <p className={styles.detail}>Can't scan it? Enter this key instead:</p>
          <CopyText text={begun.secret} what="key" />
        </div>
      </div>
      <Alert>{error}</Alert>
      <Field
        label="Code"
        hint="6 digits."
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        {...field('code')}
      />
      <Button type="submit" loading={loading} wide>
        Turn on
      </Button>
    </form>
  )
}
