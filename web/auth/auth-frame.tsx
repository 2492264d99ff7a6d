import { MessageCircle } from 'lucide-react'
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react'
import { call } from '#web/api/index.ts'
import { Brand } from '#web/ui/index.ts'
import styles from './auth-frame.module.css'
import { HeroChart } from './hero-chart.tsx'

/** The layout of all auth screens: the hero on the side with the logo, the Live Chat link, and the form. */
export function AuthFrame({
  onChat,
  children,
}: {
  onChat: (event: MouseEvent<HTMLElement>) => void
  children: ReactNode
}) {
  const hasMailbox = useMailbox()
  return (
    <div className={styles.frame}>
      <aside className={styles.hero}>
        <a className={styles.brand} href="/">
          <Brand />
        </a>
        <div className={styles.pitch}>
          <HeroChart />
          <p className={styles.slogan}>Trade with confidence.</p>
          <p className={styles.promise}>
            Every price is recorded on our public tape before you see it. Every trade settles on that tape, to the tick,
            and you can check it.
          </p>
        </div>
        <p className={styles.risk}>
          You can lose your whole stake on a timed trade. The demo account starts with $10,000.00.
        </p>
      </aside>
      <main className={styles.main}>
        <div className={styles.top}>
          <a className={styles.smallBrand} href="/">
            <Brand />
          </a>
          {hasMailbox && (
            <a className={styles.link} href="/mailbox" target="_blank" rel="noreferrer">
              Test mailbox
            </a>
          )}
          <a
            className={styles.link}
            href="/contact-us"
            data-chat
            onClick={(event) => {
              event.preventDefault()
              onChat(event)
            }}
          >
            <MessageCircle aria-hidden />
            Live Chat
          </a>
        </div>
        <div className={styles.content}>{children}</div>
      </main>
    </div>
  )
}

/**
 * Whether this is a test installation, where the confirmation link is read on the machine itself; the layout then says
 * where.
 */
function useMailbox(): boolean {
  const [hasMailbox, setHasMailbox] = useState(false)
  useEffect(() => {
    call('GET /public/installation').then(
      ({ data }) => setHasMailbox(data.mailbox),
      () => undefined,
    )
  }, [])
  return hasMailbox
}
