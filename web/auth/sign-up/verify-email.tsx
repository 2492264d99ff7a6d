import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { call, leaveNotice, messageOf, type Notice } from '#web/api/index.ts'
import { Skeleton, titled } from '#web/ui/index.ts'
import styles from '../screen.module.css'

export const meta = () => [{ title: titled('Confirm your e-mail') }]

/**
 * Confirms an address through its link and redirects to the home page, which shows the server's message (a modal) or
 * the reason of a failure (a toast). The start page is static, so the message travels in session storage.
 */
export default function VerifyEmail() {
  const hash = useSearchParams()[0].get('hash')
  const asked = useRef<string>(undefined)
  useEffect(() => {
    const leave = (notice?: Notice) => {
      if (notice) leaveNotice(notice)
      window.location.replace('/')
    }
    if (!hash) return leave()
    // A link works once, so send one request however often React runs the effect.
    if (asked.current === hash) return
    asked.current = hash
    call('POST /auth/verify-email', { body: { hash } }).then(
      ({ message }) => leave({ kind: 'success', message }),
      (error) => leave({ kind: 'error', message: messageOf(error) }),
    )
  }, [hash])
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">Confirming your e-mail</span>
      <Skeleton kind="short" />
      <Skeleton />
    </div>
  )
}
