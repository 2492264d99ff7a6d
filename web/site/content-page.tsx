import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './content-page.module.css'
import { SiteFrame } from './layout/site-frame.tsx'

interface ContentPageProps {
  title: string
  /** The page's name in the breadcrumb; defaults to the title. */
  name?: string
  /** One or two sentences below the title. */
  lead?: ReactNode
  /** Calls to action, below the lead. */
  actions?: ReactNode
  /** A picture next to the title. */
  picture?: ReactNode
  children?: ReactNode
}

/** A content page of the site: breadcrumb, title, lead, and content. */
export function ContentPage({ title, name = title, lead, actions, picture, children }: ContentPageProps) {
  return (
    <SiteFrame>
      <div className={styles.head}>
        <div>
          <Breadcrumb name={name} />
          <h1 className={styles.title}>{title}</h1>
          {lead && <p className={styles.lead}>{lead}</p>}
          {actions}
        </div>
        {picture}
      </div>
      <div className={styles.body}>{children}</div>
    </SiteFrame>
  )
}

function Breadcrumb({ name }: { name: string }) {
  return (
    <nav aria-label="Breadcrumb">
      <ol className={styles.crumbs}>
        <li>
          <a href="/">Home</a>
          <ChevronRight aria-hidden />
        </li>
        <li aria-current="page">{name}</li>
      </ol>
    </nav>
  )
}
