import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, ButtonLink, titled } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'

export const meta = () => [{ title: titled('Keep your second factor') }]

/**
 * Stops the removal of the second factor through the e-mailed link. Requires a button press, because mail scanners open
 * links.
 */
export default function StopFactorReset() {
  const hash = useSearchParams()[0].get('hash') ?? ''
  const [stopped, setStopped] = useState('')
  const { loading, error, run } = useRequest()
  const stop = () => run(async () => setStopped((await call('POST /auth/2fa/reset/stop', { body: { hash } })).message))
  return (
    <div className={styles.alone}>
      {stopped ? (
        <Screen title="Your second factor stays" intro="Someone asked our support team to remove it.">
          <Alert kind="success">{stopped}</Alert>
          <p>If it wasn't you, change your password now.</p>
          <ButtonLink size="large" wide href="/auth/forgot-password">
            Change my password
          </ButtonLink>
        </Screen>
      ) : (
        <Screen title="Keep your second factor?" intro="Our support team was asked to remove it from your account.">
          <Alert>{error}</Alert>
          <Button size="large" wide loading={loading} disabled={!hash} onClick={() => void stop()}>
            Stop the removal
          </Button>
        </Screen>
      )}
    </div>
  )
}
