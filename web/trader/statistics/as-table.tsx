import { type ReactNode, useState } from 'react'
import styles from './statistics.module.css'

/** What a chart shows, as a table that opens below it. */
export function AsTable({
  caption,
  heads,
  children,
}: {
  caption: string
  heads: readonly string[]
  children: ReactNode
}) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles.asTable} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={styles.scroll} tabIndex={0} aria-label={caption}>
          <table>
            <caption className="visually-hidden">{caption}</caption>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </section>
      )}
    </details>
  )
}
