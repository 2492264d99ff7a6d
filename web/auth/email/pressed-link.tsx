import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { readUser, useRequest } from '#web/api/index.ts'
import { Alert, Button, ButtonLink } from '#web/ui/index.ts'
import styles from '../screen.module.css'
import { Screen } from '../screen.tsx'

interface PressedLinkProps {
  title: string
  intro: ReactNode
  /** What the button does, and what the server says about it. */
  button: string
  press: (hash: string) => Promise<{ message: string }>
  /** What follows, once it is done. */
  done: string
  next: { href: string; label: string }
}

/** The page of an e-mailed link. It does nothing until its button is pressed, because mail scanners open links. */
export function PressedLink({ title, intro, button, press, done, next }: PressedLinkProps) {
  const hash = useSearchParams()[0].get('hash') ?? ''
  const [said, setSaid] = useState('')
  const { loading, error, run } = useRequest()
  async function pressed(): Promise<void> {
    const { message } = await press(hash)
    // It may have ended this browser's session: the next screen has to know.
    await readUser()
    setSaid(message)
  }
  return (
    <div className={styles.alone}>
      {said ? (
        <Screen title={done} intro="">
          <Alert kind="success">{said}</Alert>
          <ButtonLink size="large" wide href={next.href}>
            {next.label}
          </ButtonLink>
        </Screen>
      ) : (
        <Screen title={title} intro={intro}>
          <Alert>{error}</Alert>
          <Button size="large" wide loading={loading} disabled={!hash} onClick={() => void run(pressed)}>
            {button}
          </Button>
        </Screen>
      )}
    </div>
  )
}
