import { cx } from '#web/ui/index.ts'
import page from '../live-page.module.css'
import styles from './price-composition.module.css'

/** The frame of the widget that shows how a price is made. `composition.ts` fills it; it loads when it comes into view. */
export function PriceCompositionWidget() {
  return (
    <div className={page.widget} data-widget="composition">
      <Now />

      <Switches />

      <Download />
    </div>
  )
}

function PairTemplate() {
  return (
    <template data-pair>
      <div className={cx(page.card, styles.card)}>
        <h3 className={page.name} data-name>
          {' '}
        </h3>
        <p className={page.words} data-verdict />
        <svg className={styles.spread} viewBox="0 0 600 64" preserveAspectRatio="none" data-spread aria-hidden="true" />
        <p className={styles.scale} aria-hidden="true">
          <span data-low />
          <span>median</span>
          <span data-high />
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={page.scroll} tabIndex={0} data-table>
          <table className={cx(page.table, styles.table)}>
            <thead>
              <tr>
                <th scope="col">Exchange</th>
                <th scope="col">Counts</th>
                <th scope="col" className={page.figure}>
                  Price
                </th>
                <th scope="col" className={page.figure}>
                  From the median
                </th>
                <th scope="col" className={page.figure}>
                  Age
                </th>
                <th scope="col" className={page.figure}>
                  Bid and ask
                </th>
              </tr>
            </thead>
            <tbody data-rows />
          </table>
        </section>
      </div>
    </template>
  )
}

function Now() {
  return (
    <section aria-labelledby="now" className={page.part}>
      <div className={styles.head}>
        <h2 className={page.title} id="now">
          Right now
        </h2>
        <label className={page.select}>
          Symbol
          <select name="symbol" data-symbol defaultValue="BTCUSDT">
            <option value="BTCUSDT">BTCUSDT</option>
          </select>
        </label>
      </div>
      <div className={cx(page.card, styles.card)}>
        <p className={page.headline}>
          <strong data-price>–</strong>
          <span data-state role="status">
            Loading …
          </span>
        </p>
        <p className={page.words} data-why />
        <dl className={cx(page.facts, styles.facts)}>
          <div>
            <dt>Current at (UTC)</dt>
            <dd data-time>–</dd>
          </div>
          <div>
            <dt>Tick of this symbol</dt>
            <dd data-sequence>–</dd>
          </div>
          <div>
            <dt>Newest frame of the tape</dt>
            <dd data-frame>–</dd>
          </div>
          <div className={styles.wide}>
            <dt>Its hash</dt>
            <dd className={styles.hash} data-hash>
              –
            </dd>
          </div>
        </dl>
      </div>
      <div className={styles.pairs} data-pairs />
      <PairTemplate />
      <template data-row>
        <tr>
          <th scope="row" />
          <td />
          <td className={page.figure} />
          <td className={page.figure} />
          <td className={page.figure} />
          <td className={page.figure} />
        </tr>
      </template>
    </section>
  )
}

function Switches() {
  return (
    <section aria-labelledby="switches" className={page.part}>
      <h2 className={page.title} id="switches">
        Exchanges that operators switched
      </h2>
      <p className={page.words} data-no-switch role="status">
        Loading …
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={page.scroll} tabIndex={0} aria-label="Switched exchanges" data-switch-list hidden>
        <table className={cx(page.table, styles.switches)}>
          <thead>
            <tr>
              <th scope="col">Counts from (UTC)</th>
              <th scope="col">Exchange</th>
              <th scope="col">What happened</th>
            </tr>
          </thead>
          <tbody data-switches />
        </table>
      </section>
    </section>
  )
}

function Download() {
  return (
    <section aria-labelledby="download" className={page.part}>
      <h2 className={page.title} id="download">
        Download the tape
      </h2>
      <p className={page.words}>
        Every tick of the chosen symbol on one day (UTC), as a CSV file: sequence, source time, price, kind of source
        and frame.
      </p>
      <form className={page.controls} data-download action="/api/prices/tape">
        <input type="hidden" name="symbol" value="BTCUSDT" />
        <label className={page.select}>
          Day
          <input type="date" name="day" required />
        </label>
        <button type="submit" className={page.button}>
          Download
        </button>
      </form>
    </section>
  )
}
