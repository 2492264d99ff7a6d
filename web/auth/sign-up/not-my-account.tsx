import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, ButtonLink, titled } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'

export const meta = () => [{ title: titled('Not my account') }]

/**
 * Closes an account that someone else opened with this address, through the link of its confirmation e-mail. Requires a
 * button press, because mail scanners open links.
 */
export default function NotMyAccount() {
  const hash = useSearchParams()[0].get('hash') ?? ''
  const [closed, setClosed] = useState('')
  const { loading, error, run } = useRequest()
  const close = () => run(async () => setClosed((await call('POST /auth/disown-email', { body: { hash } })).message))
  return (
    <div className={styles.alone}>
      {closed ? (
        <Screen title="Account closed" intro="Someone opened it with your e-mail address.">
          <Alert kind="success">{closed}</Alert>
          <ButtonLink size="large" wide href="/">
            Back to the homepage
          </ButtonLink>
        </Screen>
      ) : (
        <Screen
          title="Wasn't this you?"
          intro="Someone opened an account with your e-mail address. Closing it signs them out and frees the address."
        >
          <Alert>{error}</Alert>
          <Button size="large" wide loading={loading} disabled={!hash} onClick={() => void close()}>
            Close the account
          </Button>
        </Screen>
      )}
    </div>
  )
}
