import * as z from 'zod/mini'
import { confirmPassword, MESSAGE, newPassword, password } from '#contract/fields.ts'
import { call, openSuccessAlert, queryClient, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, MESSAGES, useRules } from '#web/ui/index.ts'
import styles from '../screen.module.css'

/** An empty field is 'must not be empty' here; only the register form says 'is required'. */
const filled = z.string().check(z.minLength(1, { error: MESSAGE.empty, abort: true }))
const Rules = z.object({
  current: password,
  password: z.pipe(filled, newPassword),
  confirmPassword: z.pipe(filled, confirmPassword),
})
const nothing = { current: '', password: '', confirmPassword: '' }

/** Changes the password; all other sessions of the account are revoked. */
export function ChangePassword() {
  const { field, submit, reset, setFocus, refuse } = useRules(Rules, nothing)
  const { loading, error, run, fail } = useRequest(refuse)

  const send = submit(async (body) => {
    if (body.password !== body.confirmPassword) {
      fail(MESSAGES.passwordMismatch)
      setFocus('confirmPassword')
      return
    }
    await run(async () => {
      await call('PATCH /users/change-password', { body })
      openSuccessAlert(MESSAGES.passwordChanged)
      reset()
      void queryClient.invalidateQueries({ queryKey: ['GET /auth/sessions'] })
    })
  })

  return (
    <form className={styles.form} noValidate onSubmit={send}>
      <Alert>{error}</Alert>
      <Field label="Current Password" type="password" autoComplete="current-password" {...field('current')} />
      <Field label="New Password" type="password" autoComplete="new-password" {...field('password')} />
      <Field label="Confirm Password" type="password" autoComplete="new-password" {...field('confirmPassword')} />
      <div>
        <Button type="submit" loading={loading}>
          Change password
        </Button>
      </div>
    </form>
  )
}
