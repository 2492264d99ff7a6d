import * as z from 'zod/mini'
import { LENGTH, password, text } from '#contract/fields.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, useRules } from '#web/ui/index.ts'
import screen from '../screen.module.css'
import { createPasskey } from './passkey.ts'
import styles from './second-factor.module.css'

const Rules = z.object({ name: text(LENGTH.name), password })

/** Asks for a name and the password, then opens the browser's passkey dialog. */
export function AddPasskey({ onAdded }: { onAdded: (recoveryCodes: string[]) => void }) {
  const { field, submit, refuse } = useRules(Rules, { name: 'This device', password: '' })
  const { loading, error, run } = useRequest(refuse)
  const add = submit(({ name, password }) =>
    run(async () => {
      const options = await call('POST /auth/2fa/passkeys/options', { body: { password } })
      const response = await createPasskey(options.data)
      const { data } = await call('POST /auth/2fa/passkeys', { body: { name, response } })
      onAdded(data.recovery_codes)
    }),
  )
  return (
    <form className={screen.form} noValidate onSubmit={add}>
      <p className={styles.intro}>Next, your browser asks for your fingerprint, face or security key.</p>
      <Alert>{error}</Alert>
      <Field label="Name" hint="Shown in your list of passkeys." {...field('name')} />
      <Field label="Password" type="password" autoComplete="current-password" {...field('password')} />
      <Button type="submit" loading={loading} wide>
        Add passkey
      </Button>
    </form>
  )
}
