import page from '../live-page.module.css'
import styles from './incidents.module.css'

/** The frame of the list of incidents. `incidents.ts` fills it when it comes into view. */
export function IncidentsWidget() {
  return (
    <div className={page.widget} data-widget="incidents">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section className={styles.list} aria-label="List of incidents" tabIndex={0}>
        <table className={styles.table}>
          <caption className={styles.caption}>The last 90 days, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Time, UTC</th>
              <th scope="col">What happened</th>
              <th scope="col">Length</th>
            </tr>
          </thead>
          <tbody data-rows />
        </table>
        <div className={styles.empty} data-empty>
          <p>This live list needs JavaScript.</p>
        </div>
      </section>
    </div>
  )
}
