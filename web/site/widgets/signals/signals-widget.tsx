import { MANY_COMPARED } from '#contract/prices/measured.ts'
import { LEADERBOARD_FROM, percentOf, STRATEGY_IDS, STRIKE_RATES, strikeRateFor, TRADE_SIDES } from '#contract/terms.ts'
import { cx } from '#web/ui/index.ts'
import { OddsNow } from '../../parts/facts.tsx'
import page from '../live-page.module.css'
import styles from './signals.module.css'

/** As `signals.ts` computes with it. */
const BEST = TRADE_SIDES.map((side) => `${percentOf(strikeRateFor('best', side), side)}% for ${side}`).join(', ')

/**
 * The frame of the measured signals. `signals.ts` fills it and clones the templates, which carry the styles; it loads
 * when the widget comes into view.
 */
export function SignalsWidget() {
  return (
    <div className={page.widget} data-widget="signals">
      <Strategies />

      <Published />

      <Retired />

      <LatestSignals />

      <Chain />
    </div>
  )
}

function Controls() {
  return (
    <form className={page.controls} data-controls>
      <fieldset className={styles.period}>
        <legend>Period</legend>
        <div className={styles.choices}>
          {[
            ['24h', '24 hours'],
            ['7d', '7 days'],
            ['30d', '30 days'],
            ['all', 'All'],
          ].map(([value, name]) => (
            <label key={value}>
              <input type="radio" name="period" value={value} defaultChecked={value === '24h'} />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
      <label className={page.select}>
        Duration
        <select name="duration" defaultValue="60">
          <option value="">All durations</option>
          <option value="60">1 min</option>
          <option value="180">3 min</option>
          <option value="300">5 min</option>
          <option value="900">15 min</option>
          <option value="1800">30 min</option>
          <option value="3600">1 h</option>
        </select>
      </label>
      <label className={page.select}>
        Strike rate
        <select name="rate" defaultValue="best">
          <option value="best">Best for each side</option>
          {STRIKE_RATES.map((rate) => (
            <option key={rate} value={rate}>
              {rate}
            </option>
          ))}
        </select>
      </label>
    </form>
  )
}

/** Not read aloud until it has its figures: its heading is empty. */
function StrategyCard({ id }: { id: string }) {
  return (
    <li className={cx(page.card, styles.card)} data-strategy={id} aria-hidden="true">
      <h3 className={page.name} data-name>
        <span className={styles.blank} />
      </h3>
      <p className={styles.rule} data-rule>
        <span className={styles.blank} />
        <span className={styles.blank} />
      </p>
      <p className={page.headline}>
        <strong data-rate>–</strong> <span className={styles.verdict} data-verdict />
      </p>
      <svg className={styles.bar} viewBox="0 0 300 34" preserveAspectRatio="none" data-bar aria-hidden="true" />
      <p className={styles.sentence} data-sentence />
      <svg className={styles.curve} viewBox="0 0 300 80" preserveAspectRatio="none" data-curve aria-hidden="true" />
      <dl className={cx(page.facts, styles.facts)}>
        <div>
          <dt>Result of $100 per signal</dt>
          <dd data-result>–</dd>
        </div>
        <div>
          <dt>Largest fall from a peak</dt>
          <dd data-fall>–</dd>
        </div>
        <div>
          <dt>Won, lost</dt>
          <dd data-count>–</dd>
        </div>
        <div>
          <dt>Draws, voids</dt>
          <dd data-others>–</dd>
        </div>
      </dl>
      <a className={page.button} href="/user/automatic" data-follow hidden>
        Follow it
      </a>
    </li>
  )
}

function Strategies() {
  return (
    <section aria-labelledby="strategies" className={page.part}>
      <h2 className={page.title} id="strategies">
        The strategies
      </h2>
      <Controls />
      <p className={styles.note} data-measured-on role="status">
        Loading …
      </p>
      <p className={styles.note}>
        Strike rates are those of our first price list: the best for each side pays {BEST}. <OddsNow />
      </p>
      <p className={styles.note}>{MANY_COMPARED}</p>
      <ul className={styles.cards} data-cards>
        {STRATEGY_IDS.map((id) => (
          <StrategyCard key={id} id={id} />
        ))}
      </ul>
    </section>
  )
}

function Published() {
  return (
    <section aria-labelledby="published" className={page.part} data-published hidden>
      <h2 className={page.title} id="published">
        Traders’ strategies
      </h2>
      <p className={page.words}>
        Made and published by traders, and measured like ours, from the day they were published. They are ranked by the
        lower end of the interval, because luck has a wide one, and only from {LEADERBOARD_FROM} decided signals on,
        counted in the period and with the duration chosen above.
      </p>
      <p className={styles.note}>{MANY_COMPARED}</p>
      <ul className={styles.cards} data-published-cards />
    </section>
  )
}

function Retired() {
  return (
    <section aria-labelledby="retired" className={page.part} data-retired hidden>
      <h2 className={page.title} id="retired">
        Retired versions
      </h2>
      <p className={page.words}>
        Any change to a rule makes a new version, which starts from zero. These are the figures of the versions before.
      </p>
      <ul className={styles.cards} data-retired-cards />
    </section>
  )
}

function LatestSignals() {
  return (
    <section aria-labelledby="list" className={page.part}>
      <h2 className={page.title} id="list">
        The latest signals
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={cx(page.scroll, styles.scroll)} tabIndex={0} aria-label="Table of signals">
        <table className={cx(page.table, styles.table)}>
          <thead>
            <tr>
              <th scope="col">Number</th>
              <th scope="col">Written (UTC)</th>
              <th scope="col">Strategy</th>
              <th scope="col">Signal</th>
              <th scope="col">Duration</th>
              <th scope="col" className={page.figure}>
                Entry
              </th>
              <th scope="col" className={page.figure}>
                Exit
              </th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody data-rows />
        </table>
      </section>
      <button type="button" className={page.button} data-more hidden>
        Load more
      </button>
      <template data-row>
        <tr>
          <td />
          <td />
          <td />
          <td />
          <td />
          <td className={page.figure} />
          <td className={page.figure} />
          <td />
        </tr>
      </template>
    </section>
  )
}

function Chain() {
  return (
    <section aria-labelledby="chain" className={page.part}>
      <h2 className={page.title} id="chain">
        Check the chain yourself
      </h2>
      <p className={page.words}>
        Each signal’s hash covers its content and the hash before it, so no signal can be added, changed or removed
        later without breaking every hash that follows. Outcomes aren’t part of it: they follow from the tape of prices.
      </p>
      <div className={styles.buttons}>
        <button type="button" className={page.button} data-check>
          Check the latest 10,000 here
        </button>
        <a className={page.button} href="/api/public/signals/chain" download data-download>
          Download from the first signal
        </a>
      </div>
      <p className={styles.note} data-checked role="status" />
    </section>
  )
}
