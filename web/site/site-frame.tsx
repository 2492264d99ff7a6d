import type { ReactNode } from 'react'
import { Brand, Button, ButtonLink } from '#web/ui/index.ts'
import styles from './site-frame.module.css'

/** Header and footer of the public site. Plain links: a still page is entered by loading it. */
export function SiteFrame({ children }: { children: ReactNode }) {
  return (
    <div className={styles.frame}>
      <header className={styles.header} data-header>
        <a className={styles.brand} href="/">
          <Brand />
        </a>
        <ButtonLink look="secondary" href="/auth/signin" data-login>
          Login
        </ButtonLink>
      </header>
      <main className={styles.main}>{children}</main>
      <footer className={styles.footer}>
        <p>
          Risk warning: timed trades can lose the whole stake. Trade only with money that you can afford to lose, and
          try the demo account first.
        </p>
        <p>© 2023 Cleartick</p>
      </footer>
      <dialog className={styles.notice} aria-labelledby="notice-title" data-notice="success">
        <h2 className={styles.noticeTitle} id="notice-title">
          Done
        </h2>
        <p data-message />
        <form method="dialog">
          <Button type="submit" className={styles.noticeClose}>
            Continue
          </Button>
        </form>
      </dialog>
      <div className={styles.toast} role="alert" data-notice="error" hidden>
        <p data-message />
      </div>
    </div>
  )
}
