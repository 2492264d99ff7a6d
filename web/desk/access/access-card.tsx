import type { ReactNode } from 'react'
import { BrandMark } from '#web/ui/index.ts'
import { DeskTitle, deskName } from '../parts/desk-title.tsx'
import styles from './access-card.module.css'

/** The layout of sign-in and joining: a single card. */
export function AccessCard({ title, intro, children }: { title: string; intro: ReactNode; children: ReactNode }) {
  return (
    <main className={styles.screen}>
      <DeskTitle>{title}</DeskTitle>
      <div className={styles.card}>
        <p className={styles.brand}>
          <BrandMark /> {deskName()}
        </p>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.intro}>{intro}</p>
        {children}
      </div>
    </main>
  )
}
