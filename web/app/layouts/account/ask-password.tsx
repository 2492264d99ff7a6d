import { useState } from 'react'
import { call, queryClient, takeSignIn, useRequest, useUser } from '#web/api/index.ts'
import { Alert, Button, Field } from '#web/ui/index.ts'
import styles from './ask-password.module.css'

/** The password of the account that was confirmed elsewhere. */
export default function AskPassword() {
  const { email } = useUser()
  const [password, setPassword] = useState('')
  const { loading, error, run } = useRequest()
  const signIn = () =>
    run(async () => {
      takeSignIn(await call('POST /auth/login', { body: { email, password } }))
      setPassword('')
      await queryClient.invalidateQueries()
    })
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void signIn()
      }}
    >
      <p>For your safety, we ended the sessions from before. Enter your password once, and continue here.</p>
      <Alert>{error}</Alert>
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" size="large" wide loading={loading} disabled={password === ''}>
        Continue
      </Button>
    </form>
  )
}
