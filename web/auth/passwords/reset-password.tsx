import { useEffect, useState } from 'react'
import { Link, Navigate, useNavigate, useSearchParams } from 'react-router'
import * as z from 'zod/mini'
import { confirmPassword, newPassword } from '#contract/fields.ts'
import { call, messageOf, openSuccessAlert, useRequest } from '#web/api/index.ts'
import { Alert, Button, buttonClass, Field, MESSAGES, titled, toast, useRules } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'

export const meta = () => [{ title: titled('Reset password') }]

const Rules = z.object({ password: newPassword, confirmPassword })

/** Sets a new password through the e-mailed link; without its hash, redirects to sign-in. */
export default function ResetPassword() {
  const hash = useSearchParams()[0].get('hash')
  if (!hash) return <Navigate to="/auth/signin" replace />
  return <ResetForm key={hash} hash={hash} />
}

type LinkState = { is: 'asking' } | { is: 'good'; email: string } | { is: 'refused'; message: string }

function ResetForm({ hash }: { hash: string }) {
  const [link, setLink] = useState<LinkState>({ is: 'asking' })
  const { field, submit, setFocus, refuse } = useRules(Rules, { password: '', confirmPassword: '' })
  const { loading, run } = useRequest((...failure) => [toast.error, refuse].forEach((show) => void show(...failure)))
  const navigate = useNavigate()

  useEffect(() => {
    const end = new AbortController()
    call('GET /auth/reset-password/details', { query: { hash }, signal: end.signal }).then(
      ({ data }) => setLink({ is: 'good', email: data.email }),
      (error) => {
        if (end.signal.aborted) return
        setLink({ is: 'refused', message: messageOf(error) })
        toast.error(messageOf(error))
      },
    )
    return () => end.abort()
  }, [hash])

  const send = submit(async (values) => {
    if (values.password !== values.confirmPassword) {
      toast.error(MESSAGES.passwordMismatch)
      setFocus('confirmPassword')
      return
    }
    await run(async () => {
      const { message } = await call('POST /auth/reset-password', { body: { ...values, hash } })
      openSuccessAlert(message)
      await navigate('/auth/signin')
    })
  })

  if (link.is === 'refused') {
    return (
      <Screen title="This link doesn't work" intro="It may have been used already, or has expired.">
        <Alert>{link.message}</Alert>
        <Link className={buttonClass({ size: 'large', wide: true })} to="/auth/forgot-password">
          Request a new link
        </Link>
      </Screen>
    )
  }
  return (
    <Screen
      title="Choose a new password"
      intro="This signs you out everywhere. Then sign in with the new password."
      foot={<Link to="/auth/signin">Back to sign in</Link>}
    >
      <form className={styles.form} noValidate onSubmit={send} onFocus={toast.prepare}>
        <Field label="Email" type="email" readOnly value={link.is === 'good' ? link.email : ''} />
        <Field label="Password" type="password" autoComplete="new-password" {...field('password')} />
        <Field label="Confirm password" type="password" autoComplete="new-password" {...field('confirmPassword')} />
        <Button type="submit" size="large" wide disabled={link.is !== 'good'} loading={loading}>
          Set password
        </Button>
      </form>
    </Screen>
  )
}
