import { startAuthentication } from '@simplewebauthn/browser'
import { useQuery } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Input } from '#web/api/index.ts'
import { call, queryOf, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field } from '#web/ui/index.ts'
import { isWholeCode, tidyCode } from './code.ts'
import styles from './confirm-form.module.css'

type Shown = Input<'POST /auth/step-up'>['body']
type PasskeyOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']

/** Asks for the second factor again: the authenticator's code, a recovery code, or the passkey. */
export default function ConfirmForm({ onToken }: { onToken: (token: string) => void }) {
  const factors = useQuery(queryOf('GET /auth/2fa')).data?.data
  const [code, setCode] = useState('')
  const [isRecovery, setRecovery] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const { loading, error, run, fail } = useRequest(() => {
    setCode('')
    field.current?.focus()
  })

  const show = (shown: Shown) =>
    run(async () => {
      const { data } = await call('POST /auth/step-up', { body: shown })
      onToken(data.token)
    })

  const showPasskey = () =>
    run(async () => {
      const { data } = await call('POST /auth/step-up/passkey-options')
      const passkey = await startAuthentication({ optionsJSON: data as unknown as PasskeyOptions })
      const answer = await call('POST /auth/step-up', { body: { passkey: { ...passkey } } as Shown })
      onToken(answer.data.token)
    })

  function type(text: string) {
    const typed = isRecovery ? text : tidyCode(text)
    setCode(typed)
    if (!isRecovery && isWholeCode(typed)) void show({ code: typed })
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() === '') fail('Code must not be empty')
        else void show({ code: code.trim() })
      }}
    >
      <p className={styles.words}>Confirm with your second factor to continue. Nothing has been submitted yet.</p>
      <Alert>{error}</Alert>
      {factors?.passkeys.length ? (
        <Button wide loading={loading} onClick={() => void showPasskey()}>
          <Fingerprint aria-hidden />
          Use my passkey
        </Button>
      ) : null}
      <Field
        key={isRecovery ? 'recovery' : 'code'}
        ref={field}
        label={isRecovery ? 'Recovery code' : 'Code'}
        hint={isRecovery ? 'Each code works once.' : 'The 6-digit code from your authenticator app.'}
        className={styles.code}
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        value={code}
        onChange={(event) => type(event.target.value)}
      />
      <div className={styles.answers}>
        <Button
          look="quiet"
          onClick={() => {
            setRecovery(!isRecovery)
            setCode('')
          }}
        >
          {isRecovery ? 'Use a code from my app' : 'Use a recovery code'}
        </Button>
        <Button type="submit" loading={loading}>
          Confirm
        </Button>
      </div>
    </form>
  )
}
