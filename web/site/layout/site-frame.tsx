import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#web/ui/index.ts'
import { Strip } from '../strip/strip.tsx'
import { SiteFooter } from './site-footer.tsx'
import styles from './site-frame.module.css'
import { SiteHeader } from './site-header.tsx'

/** Header and footer of the public site. Uses plain links: static pages are entered by a page load. */
export function SiteFrame({ children }: { children: ReactNode }) {
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Strip />
      <SiteHeader />
      <main className={styles.main} id="content" tabIndex={-1}>
        {children}
      </main>
      <SiteFooter />
      <dialog className={styles.notice} aria-labelledby="notice-title" data-notice>
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
      <div className={styles.toast} role="status" data-toast hidden>
        <p data-message />
        <Button look="quiet" icon aria-label="Close">
          <X aria-hidden />
        </Button>
      </div>
    </div>
  )
}
