import type { ReactNode } from 'react'
import { ContentPage } from './content-page.tsx'
import styles from './legal-page.module.css'
import { Prose } from './prose.tsx'

export interface LegalSection {
  /** The anchor of the section: `/legal#credits`. */
  id: string
  title: string
  body: ReactNode
}

interface LegalPageProps {
  title: string
  name?: string
  lead: ReactNode
  /** Date of the last change: YYYY-MM-DD. */
  changed: string
  sections: readonly LegalSection[]
}

/** A legal text: numbered sections, a table of contents, the date of the last change; prints as a document. */
export function LegalPage({ title, name, lead, changed, sections }: LegalPageProps) {
  return (
    <ContentPage title={title} name={name} lead={lead}>
      <div className={styles.text}>
        <nav className={styles.contents} aria-labelledby="contents">
          <h2 className={styles.contentsTitle} id="contents">
            Contents
          </h2>
          <ol className={styles.list}>
            {sections.map((section) => (
              <li key={section.id}>
                <a href={`#${section.id}`}>{section.title}</a>
              </li>
            ))}
          </ol>
          <p className={styles.changed}>
            Last changed <time dateTime={changed}>{changed}</time>
          </p>
        </nav>
        <div className={styles.sections}>
          {sections.map((section, n) => (
            <section key={section.id} id={section.id} className={styles.section}>
              <h2 className={styles.title}>
                <span className={styles.number}>{n + 1}.</span> {section.title}
              </h2>
              <Prose>{section.body}</Prose>
            </section>
          ))}
        </div>
      </div>
    </ContentPage>
  )
}
