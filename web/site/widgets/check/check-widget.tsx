import { CheckReceipt } from '#web/receipts/index.ts'
import { cx } from '#web/ui/index.ts'
import { Prose } from '../../prose.tsx'
import page from '../live-page.module.css'
import styles from './check.module.css'

/** The check of a receipt, and the newest checkpoints. `check.ts` fills it and loads the check before its first use. */
export function CheckWidget() {
  return (
    <div className={page.widget} data-widget="check">
      <div className={styles.check}>
        <noscript>
          <p className={styles.noscript}>
            Checking here needs JavaScript. You can check a receipt without it, and without this page, as described
            below.
          </p>
        </noscript>
        <div>
          <CheckReceipt />
        </div>
        <p className={styles.shared} data-shared role="status" hidden />
        <p className={styles.note} data-keys role="status">
          Loading the published keys …
        </p>
      </div>

      <WhatItProves />

      <KeyHolder />

      <Offline />

      <Checkpoints />

      <Solvency />
    </div>
  )
}

function WhatItProves() {
  return (
    <section aria-labelledby="proves" className={page.part}>
      <h2 className={page.title} id="proves">
        What a receipt proves
      </h2>
      <Prose>
        <p>
          Your order, with its side, stake, strike rate, duration and time, is the one whose hash went into the prices
          about a second after it was accepted. The entry was the first price after the order and the exit was the last
          price before the end, both as they were published for everyone. The result and the payout follow from these
          two prices. All of it was signed within about a minute, so nobody could change it later.
        </p>
        <p>
          A receipt can’t show that no other source of prices was used for a while between entry and exit. It names no
          one, so it doesn’t show who placed the trade. And it doesn’t show that the published price was the market’s
          price: <a href="/prices">How prices are made</a> shows where each price comes from.
        </p>
      </Prose>
    </section>
  )
}

function KeyHolder() {
  return (
    <section aria-labelledby="key-holder" className={page.part}>
      <h2 className={page.title} id="key-holder">
        What protects you from the platform itself
      </h2>
      <Prose>
        <p>
          Anyone who holds the platform’s key could write other prices and orders and sign them. A receipt alone can’t
          show that, but each of these does:
        </p>
        <ul>
          <li>
            <strong>Your own copy.</strong> The answer to each order contains its hash (<code>order_hash</code>), which
            the details of the trade show. If you keep it and enter it above, a receipt with any other order is exposed.
            So is a replaced checkpoint, if you saved the original.
          </li>
          <li>
            <strong>A time stamp or a published line.</strong> Each checkpoint contains the hash of the one before it
            and of the newest prices. Once an independent authority has certified one, or it was published where nobody
            can change it, all prices, orders and results up to it are fixed. It says nothing about what came after.
          </li>
        </ul>
        <p>
          Trades from before orders were bound have receipts of version 1. Those prove the prices and the signed result,
          but not what was ordered.
        </p>
      </Prose>
    </section>
  )
}

function Offline() {
  return (
    <section aria-labelledby="offline" className={page.part}>
      <h2 className={page.title} id="offline">
        Check without this page
      </h2>
      <Prose>
        <p>
          The check is a small program without dependencies, part of the platform’s source code in the folder{' '}
          <code>packages/verify</code>. It needs Node 20 or newer, and neither a network nor an account:
        </p>
      </Prose>
      <pre className={styles.command}>
        <code>node cli.js receipt.json --keys keys.json</code>
      </pre>
      <Prose>
        <p>
          Keep your own copy of the keys as <code>keys.json</code>. With it, a receipt signed by any other key fails.
        </p>
      </Prose>
      <p className={styles.links}>
        <a className={page.button} href="/api/proof/keys" download="keys.json">
          Download the keys
        </a>
        <a className={page.button} href="/api/proof/checkpoints" download="checkpoints.json">
          Download the checkpoints
        </a>
      </p>
    </section>
  )
}

function Checkpoints() {
  return (
    <section aria-labelledby="checkpoints" className={page.part}>
      <h2 className={page.title} id="checkpoints">
        The newest checkpoints
      </h2>
      <p className={page.words}>
        Once a minute the platform signs the newest frame of prices and a list of all trades settled since the last one,
        together with the hash of the checkpoint before. Each receipt leads to such checkpoints. If you keep some, you
        can tell later whether any was replaced. The tape of a whole day with its checkpoints is at{' '}
        <code>/api/proof/day?day=YYYY-MM-DD</code>. Where an independent authority certifies checkpoints, its time
        stamps are at <code>/api/proof/timestamps</code>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={cx(page.scroll, styles.scroll)} tabIndex={0} aria-label="Table of checkpoints">
        <table className={cx(page.table, styles.table)}>
          <thead>
            <tr>
              <th scope="col" className={page.figure}>
                Frame
              </th>
              <th scope="col">Time (UTC)</th>
              <th scope="col" className={page.figure}>
                Trades
              </th>
              <th scope="col">Hash</th>
              <th scope="col">Key</th>
            </tr>
          </thead>
          <tbody data-checkpoints-rows />
        </table>
      </section>
      <p className={styles.note} data-checkpoints-state role="status">
        Loading …
      </p>
      <p className={styles.note} data-timestamps-state role="status" />
      <template data-checkpoints-row>
        <tr>
          <td className={page.figure} />
          <td />
          <td className={page.figure} />
          <td />
          <td />
        </tr>
      </template>
    </section>
  )
}

function Solvency() {
  return (
    <section aria-labelledby="solvency" className={page.part}>
      <h2 className={page.title} id="solvency">
        What we owe to traders
      </h2>
      <p className={page.words}>
        After each midnight (UTC) the platform signs what it owes to all traders together, in real money: what they can
        spend, their open stakes and their requested withdrawals. Each trader finds their own balances in it, under
        Statement, Proof of balances. If a balance were left out, its owner’s check would fail.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={cx(page.scroll, styles.scroll)} tabIndex={0} aria-label="Table of statements">
        <table className={cx(page.table, styles.table)}>
          <thead>
            <tr>
              <th scope="col" className={page.figure}>
                Number
              </th>
              <th scope="col">Time (UTC)</th>
              <th scope="col" className={page.figure}>
                Traders
              </th>
              <th scope="col" className={page.figure}>
                Total
              </th>
              <th scope="col">Root</th>
            </tr>
          </thead>
          <tbody data-statements-rows />
        </table>
      </section>
      <p className={styles.note} data-statements-state role="status">
        Loading …
      </p>
      <template data-statements-row>
        <tr>
          <td className={page.figure} />
          <td />
          <td className={page.figure} />
          <td className={page.figure} />
          <td />
        </tr>
      </template>
      <p className={styles.links}>
        <a className={page.button} href="/api/proof/solvency" download="solvency.json">
          Download the statements
        </a>
      </p>
      <Assets />
    </section>
  )
}

function Assets() {
  return (
    <>
      <h3>What we hold</h3>
      <div hidden data-assets-table>
        <p className={page.words}>We state that these addresses are ours. Any block explorer shows their balances.</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={cx(page.scroll, styles.scroll)} tabIndex={0} aria-label="Table of addresses">
          <table className={cx(page.table, styles.table)}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Coin</th>
                <th scope="col">Address</th>
              </tr>
            </thead>
            <tbody data-assets-rows />
          </table>
        </section>
      </div>
      <p className={styles.note} data-assets-state role="status">
        Loading …
      </p>
      <template data-assets-row>
        <tr>
          <td />
          <td />
          <td />
        </tr>
      </template>
    </>
  )
}
