import page from '../live-page.module.css'

/** The frame of the odds that are offered. `odds.ts` fills it when it comes into view. */
export function OddsWidget() {
  return (
    <section className={page.widget} data-widget="odds" aria-labelledby="odds">
      <div className={page.part}>
        <h2 className={page.title} id="odds">
          The odds on offer
        </h2>
        <p className={page.words} data-words>
          This live list needs JavaScript.
        </p>
        <div className={page.part} data-lists />
        <template data-list>
          <div className={page.card}>
            <h3 className={page.name} data-name>
              {' '}
            </h3>
            <p className={page.words} data-when />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
            <section className={page.scroll} tabIndex={0} data-table>
              <table className={page.table}>
                <thead>
                  <tr>
                    <th scope="col">Strike rate</th>
                    <th scope="col" className={page.figure}>
                      Buy wins
                    </th>
                    <th scope="col" className={page.figure}>
                      Sell wins
                    </th>
                    <th scope="col" className={page.figure}>
                      Buy breaks even at
                    </th>
                    <th scope="col" className={page.figure}>
                      Sell breaks even at
                    </th>
                  </tr>
                </thead>
                <tbody data-rows>
                  <tr>
                    <th scope="row"> </th>
                    <td className={page.figure} />
                    <td className={page.figure} />
                    <td className={page.figure} />
                    <td className={page.figure} />
                  </tr>
                </tbody>
              </table>
            </section>
          </div>
        </template>
        <p className={page.words} data-next />
        <details data-history hidden>
          <summary>Earlier versions</summary>
          <ul data-versions />
        </details>
      </div>
    </section>
  )
}
