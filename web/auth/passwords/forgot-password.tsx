import { Link } from 'react-router'
import * as z from 'zod/mini'
import { email } from '#contract/fields.ts'
import { call, openSuccessAlert, useRequest } from '#web/api/index.ts'
import { Button, Field, titled, toast, useRules } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'

export const meta = () => [{ title: titled('Forgot password') }]

const Rules = z.object({ email })

/** Requests a reset link. The response is the same for every address. */
export default function ForgotPassword() {
  const { field, submit, reset, refuse } = useRules(Rules, { email: '' })
  const { loading, run } = useRequest((message, cause) => {
    toast.error(message)
    refuse(message, cause)
  })

  const send = submit((query) =>
    run(async () => {
      const { message } = await call('GET /auth/reset-password', { query })
      openSuccessAlert(message)
      reset()
    }),
  )

  return (
    <Screen
      title="Forgot your password?"
      intro="We'll e-mail you a link to choose a new one."
      foot={<Link to="/auth/signin">Back to sign in</Link>}
    >
      <form className={styles.form} noValidate onSubmit={send} onFocus={toast.prepare}>
        <Field label="Email" type="email" inputMode="email" autoComplete="email" {...field('email')} />
        <Button type="submit" size="large" wide loading={loading}>
          Send reset link
        </Button>
      </form>
    </Screen>
  )
}
