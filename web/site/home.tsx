import { ArrowRight, BadgeCheck, Landmark, ShieldCheck, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import { breakEvenRate } from '#contract/prices/measured.ts'
import { DURATIONS, PLANS, percentOf, STRIKE_RATES } from '#contract/terms.ts'
import { ButtonLink, figure } from '#web/ui/index.ts'
import { siteHead } from './head.ts'
import styles from './home.module.css'
import { SiteFrame } from './layout/site-frame.tsx'
import { OddsNow } from './parts/facts.tsx'
import { OrderCard } from './parts/order-card.tsx'
import { TradePicture } from './parts/trade-picture.tsx'
import { ScreenPicture } from './screen-picture.tsx'

const head = siteHead({
  path: '/',
  title: `${figure('brand')}: trade with confidence`,
  description:
    'Timed trades on cryptocurrencies and currency pairs, at prices that anyone can check. Start with a free $10,000 demo account.',
})

export const handle = { still: true }
export const meta = () => head

/** The highest payout of the first price list for a winning trade, percent of the stake. */
const BEST_PERCENT = Math.max(...STRIKE_RATES.flatMap((rate) => [percentOf(rate, 'Buy'), percentOf(rate, 'Sell')]))
const breakEven = (percent: number) => breakEvenRate(percent).toFixed(1)
const WHOLE = new Intl.NumberFormat('en-US')

const CHECKS = [
  {
    title: 'You press Buy or Sell',
    text: "The server records the time and takes your stake in one step. No one trades on a price they've already seen.",
  },
  {
    title: 'The next price is your entry',
    text: "We use the first price after that moment, on a tape that's written before anyone sees it. If none arrives within 10 seconds, you get your stake back.",
  },
  {
    title: 'The last price in time is your exit',
    text: "When your time is up, the last price counts: not a later one, and not one that's better for us. If it's too old, you get your stake back.",
  },
  {
    title: 'The outcome follows from both',
    text: 'Those two prices alone decide whether you won, lost or drew, in demo and real trades alike. No operator can set the outcome.',
  },
]

/** The start page: what the platform is, claimed and measured figures, how a trade is checked, and how to start. */
export default function Home() {
  return (
    <SiteFrame>
      <Hero />
      <Claims />
      <Screen />
      <Part
        id="checked"
        title="You can check every trade"
        lead="Prices are written to one public tape, frame by frame, each linked to the one before. Your trade settles on that tape and nothing else."
        aside={<TradePicture />}
      >
        <ol className={styles.checks}>
          {CHECKS.map((check) => (
            <li key={check.title}>
              <h3>{check.title}</h3>
              <p>{check.text}</p>
            </li>
          ))}
        </ol>
      </Part>
      <Odds />
      <Demo />
      <Money />
      <Announced />
      <End />
    </SiteFrame>
  )
}

function Hero() {
  return (
    <section className={styles.hero} aria-labelledby="slogan">
      <div>
        <h1 className={styles.title} id="slogan">
          Trade with confidence
        </h1>
        <p className={styles.lead}>
          Say whether a price will be higher or lower in a minute, an hour or a day, at prices that anyone can check.
          You see what you win, what you lose and how often you must be right before you press.
        </p>
        <Start />
        <p className={styles.small} data-visitor>
          $10,000.00 of demo money. No sign-up, no deposit, no card.
        </p>
      </div>
      <OrderCard />
    </section>
  )
}

/** The page's one main action: the demo, or trading for who is signed in. */
function Start() {
  return (
    <div className={styles.actions}>
      <ButtonLink size="large" href="/user/home?demo" data-visitor>
        Try the demo <ArrowRight aria-hidden />
      </ButtonLink>
      <a className={styles.now} href="/user/home" data-home>
        Trade Now
      </a>
    </div>
  )
}

interface PartProps {
  id: string
  title: string
  lead?: ReactNode
  /** Shown next to the title, below it on narrow screens. */
  aside?: ReactNode
  children?: ReactNode
}

function Part({ id, title, lead, aside, children }: PartProps) {
  return (
    <section className={styles.part} aria-labelledby={id}>
      <div className={styles.top}>
        <div className={styles.head}>
          <h2 className={styles.partTitle} id={id}>
            {title}
          </h2>
          {lead && <p className={styles.partLead}>{lead}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** The large figures are measured, or what the rules pay; what the operator advertises is small below each. */
function Claims() {
  return (
    <section className={styles.measures} aria-labelledby="claims">
      <h2 className="visually-hidden" id="claims">
        Measured, and advertised
      </h2>
      <dl className={styles.claims} data-figures>
        <div className={styles.claim}>
          <dt>Best payout on a winning trade</dt>
          <dd className={styles.figure}>{BEST_PERCENT}%</dd>
          <dd className={styles.by}>
            By our first price list. Advertised: payouts up to {figure('payoutsUpTo')}. <OddsNow />
          </dd>
        </div>
        <div className={styles.claim}>
          <dt>Real trades won</dt>
          <dd className={styles.rate} data-measured="real">
            Not enough data yet.
          </dd>
          <dd className={styles.by}>
            <span data-measured="demo" />
            Advertised: signal accuracy {figure('signalAccuracy')}. Where a win pays {BEST_PERCENT}%, break-even is{' '}
            {breakEven(BEST_PERCENT)}%. <a href="/signals">See every signal</a>
          </dd>
        </div>
        <div className={styles.claim}>
          <dt>Median time to pay a withdrawal</dt>
          <dd className={styles.rate} data-paid>
            Not enough data yet.
          </dd>
          <dd className={styles.by}>Advertised: within {figure('withdrawalBusinessDays')} business days.</dd>
        </div>
        <div className={styles.claim}>
          <dt>Symbols you can trade now</dt>
          <dd className={styles.figure} data-symbols>
            –
          </dd>
          <dd className={styles.by}>
            Advertised: {figure('instruments')} instruments. <a href="/financial-instruments">See all symbols</a>
          </dd>
        </div>
      </dl>
      <p className={styles.small}>
        Win rates count every trade in order, up to the oldest one still open. None is picked, and only those sold early
        are left out. The figures are at most a day old.
      </p>
    </section>
  )
}

function Screen() {
  return (
    <div className={styles.screen}>
      <ScreenPicture of="trading" />
      <p className={styles.caption}>The trading screen in demo mode, on simulated prices.</p>
    </div>
  )
}

function Odds() {
  return (
    <Part
      id="odds"
      title="You see the odds before you trade"
      lead="The strike rate sets what a winning trade pays. The lower it is, the more often you must win to break even; the order panel shows that rate before you trade. A losing trade costs its stake, never more. If a trade is a draw, or the tape can't decide it, you get the stake back."
      aside={
        <div>
          <StrikeRates />
          <p className={styles.small}>
            These are the odds of our first price list. Others can be offered by symbol, duration and hour. <OddsNow />
          </p>
        </div>
      }
    />
  )
}

function StrikeRates() {
  return (
    <table className={styles.odds}>
      <caption className="visually-hidden">What each strike rate pays for Buy and for Sell</caption>
      <thead>
        <tr>
          <th scope="col">Strike rate</th>
          <th scope="col">Buy pays</th>
          <th scope="col">Break-even</th>
          <th scope="col">Sell pays</th>
          <th scope="col">Break-even</th>
        </tr>
      </thead>
      <tbody>
        {STRIKE_RATES.map((rate) => {
          const [buy, sell] = [percentOf(rate, 'Buy'), percentOf(rate, 'Sell')]
          return (
            <tr key={rate}>
              <th scope="row">{rate}</th>
              <td className={styles.pays}>{buy}%</td>
              <td>{breakEven(buy)}%</td>
              <td className={styles.pays}>{sell}%</td>
              <td>{breakEven(sell)}%</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Demo() {
  return (
    <section className={styles.split} aria-labelledby="demo">
      <div className={styles.head}>
        <h2 className={styles.partTitle} id="demo">
          A demo that behaves like the real thing
        </h2>
        <p className={styles.partLead}>
          Practice with $10,000.00 on the same tape, under the same rules, on the same screens. Reset it as often as you
          like.
        </p>
        <ul className={styles.points}>
          <li>{DURATIONS.length} durations, from one minute to one day</li>
          <li>Stakes from $1.00, to the cent</li>
          <li>On a phone, a tablet or a wide screen, light or dark</li>
          <li>A statement of every movement as CSV or PDF</li>
        </ul>
        <Start />
      </div>
      <ScreenPicture of="phone" />
    </section>
  )
}

function Money() {
  return (
    <Part
      id="money"
      title="Your money, in and out"
      lead="Every deposit and withdrawal has a status, a date and a reason. You always see who is handling your request, and by when."
    >
      <ul className={styles.cards}>
        <li>
          <Wallet aria-hidden />
          <h3>Deposits</h3>
          <p>
            Deposit bitcoin, ether or, where available, by card, from $1. You see the coin amount at the tape's price
            first.
          </p>
        </li>
        <li>
          <Landmark aria-hidden />
          <h3>Withdrawals</h3>
          <p>
            To your bank or wallet, within {figure('withdrawalBusinessDays')} business days. We hold the amount right
            away and return it if we can't make the payment.
          </p>
        </li>
        <li>
          <ShieldCheck aria-hidden />
          <h3>Two pairs of eyes</h3>
          <p>Large amounts need the approval of two people, and every step is recorded.</p>
        </li>
        <li>
          <BadgeCheck aria-hidden />
          <h3>Your account</h3>
          <p>
            Passkeys and authenticator apps, a list of your devices, and an identity check before the first withdrawal.
          </p>
        </li>
      </ul>
      <p className={styles.note}>
        For details, see the <a href="/payment-policy">payment policy</a>.
      </p>
    </Part>
  )
}

function Announced() {
  return (
    <Part
      id="announced"
      title="Plans, and what the operator announces"
      lead={
        <>
          Four plans add automatic trades (ATS), from ${WHOLE.format(PLANS[0].priceUsd)} with {PLANS[0].tradesADay}{' '}
          trade a day to ${WHOLE.format(PLANS[3].priceUsd)} with {PLANS[3].tradesADay}. Manual trades need no plan.{' '}
          <a href="/pricing">Compare the plans</a> or <a href="/signals">see what the signals did</a>
        </>
      }
    >
      <p className={styles.note}>
        The operator also announces tournaments, bonuses and cashback. None is running or paid on this platform at
        present.
      </p>
    </Part>
  )
}

function End() {
  return (
    <section className={styles.end} aria-labelledby="begin">
      <h2 className={styles.partTitle} id="begin">
        Try it before you trust it
      </h2>
      <p className={styles.partLead}>Place a demo trade, wait a minute and check it against the tape.</p>
      <Start />
    </section>
  )
}
