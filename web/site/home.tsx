import { ArrowRight, BadgeCheck, Gift, Landmark, RefreshCw, ShieldCheck, Trophy, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import { DURATIONS, PLANS, percentOf, STRIKE_RATES } from '#contract/terms.ts'
import { ButtonLink, figure } from '#web/ui/index.ts'
import { siteHead } from './head.ts'
import styles from './home.module.css'
import { TradePicture } from './parts/trade-picture.tsx'
import { ScreenPicture } from './screen-picture.tsx'
import { SiteFrame } from './site-frame.tsx'

export const homeHead = siteHead({
  path: '/',
  title: `${figure('brand')}: trade with confidence`,
  description:
    'Timed trades on cryptocurrencies and currency pairs, at prices that anyone can check. Begin with a free demo account of $10,000.',
})

/** The highest payout of any strike rate for a winning trade, percent of the stake. */
const BEST_PERCENT = Math.max(...STRIKE_RATES.flatMap((rate) => [percentOf(rate, 'Buy'), percentOf(rate, 'Sell')]))
const breakEven = (percent: number) => (10_000 / (100 + percent)).toFixed(1)
const WHOLE = new Intl.NumberFormat('en-US')

const CHECKS = [
  {
    title: 'You press Buy or Sell',
    text: 'The server writes down the time and takes the stake in one step. Nobody trades on a price that he has already seen.',
  },
  {
    title: 'The next price is your entry',
    text: 'The first price after that moment, on a tape that is written before anyone sees it. None within 10 seconds: the stake comes back.',
  },
  {
    title: 'The last price in time is your exit',
    text: 'At the end of your time the last price counts, not a later one and not a better one for us. Too old a price: the stake comes back.',
  },
  {
    title: 'The outcome follows by itself',
    text: 'Won, lost or draw is worked out from those two prices alone, the same for demo and real. No operator can set it.',
  },
]

/** The start page: what the platform is, claimed and measured figures, how a trade is checked, and how to start. */
export function Home() {
  return (
    <SiteFrame>
      <Hero />
      <Claims />
      <Part
        id="checked"
        title="Every trade can be checked"
        lead="Prices are written to one public tape, frame by frame, each bound to the one before. Your trade is settled on that tape and on nothing else."
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
      <h1 className={styles.title} id="slogan">
        Trade with confidence
      </h1>
      <p className={styles.lead}>
        Timed trades on cryptocurrencies and currency pairs, from one minute to one day, at prices that anyone can
        check. You know what you can win, what you can lose, and how often you must be right.
      </p>
      <div className={styles.actions}>
        <ButtonLink size="large" href="/user/home" data-home>
          Trade Now <ArrowRight aria-hidden />
        </ButtonLink>
        <ButtonLink size="large" look="secondary" href="/auth/signup" data-visitor>
          Open a free demo account
        </ButtonLink>
      </div>
      <p className={styles.small}>$10,000.00 of demo money. No deposit, no card.</p>
      <div className={styles.screen}>
        <ScreenPicture of="trading" first />
        <p className={styles.caption}>The trading screen in demo mode, on simulated prices.</p>
      </div>
    </section>
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

function Claims() {
  return (
    <Part
      id="claims"
      title="Claimed, and measured"
      lead="The large figures are the operator’s claims. Below each stands what this platform counted itself, or pays by its own rules."
    >
      <dl className={styles.claims} data-figures>
        <div className={styles.claim}>
          <dt>Signal accuracy</dt>
          <dd>
            <span className={styles.figure}>{figure('signalAccuracy')}</span>
            <span className={styles.by}>claimed by the operator</span>
          </dd>
          <dd className={styles.measured}>
            <span data-measured="real">Real trades: too few yet to say anything.</span>
            <span data-measured="demo">Demo trades: too few yet to say anything.</span>
          </dd>
        </div>
        <div className={styles.claim}>
          <dt>Payouts</dt>
          <dd>
            <span className={styles.figure}>up to {figure('payoutsUpTo')}</span>
            <span className={styles.by}>claimed by the operator</span>
          </dd>
          <dd className={styles.measured}>
            <span>
              A single trade that is right pays back its stake and up to {BEST_PERCENT}% of it, by its strike rate.
            </span>
            <span>
              <a href="#odds">See what each one pays</a>
            </span>
          </dd>
        </div>
        <div className={styles.claim}>
          <dt>Instruments</dt>
          <dd>
            <span className={styles.figure}>{figure('instruments')}</span>
            <span className={styles.by}>claimed by the operator</span>
          </dd>
          <dd className={styles.measured}>
            <span>Here you trade 79: 31 cryptocurrency pairs and 48 pairs of coins and currencies.</span>
            <span>
              <a href="/financial-instruments">See them with their prices</a>
            </span>
          </dd>
        </div>
      </dl>
      <p className={styles.note}>
        Win rates count every trade in its order, up to the oldest that is still open: none is picked out, none is left
        out, and the count is a day behind at most.
      </p>
    </Part>
  )
}

function Odds() {
  return (
    <Part
      id="odds"
      title="You see the odds before you trade"
      lead="Five strike rates say what a right trade pays. The lower the pay, the more often you must be right only to come out even; the order panel shows that figure before you press. A wrong trade loses its stake, never more; a draw, or one that the tape cannot decide, gets it back."
      aside={<StrikeRates />}
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
          <th scope="col">Even at</th>
          <th scope="col">Sell pays</th>
          <th scope="col">Even at</th>
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
          $10,000.00 to practise with, on the same tape, by the same rules, in the same screens. Reset it as often as
          you like.
        </p>
        <ul className={styles.points}>
          <li>{DURATIONS.length} durations, from one minute to one day</li>
          <li>Stakes from $1.00, to the cent</li>
          <li>On a phone, a tablet or a wide screen, light or dark</li>
          <li>A statement of every movement, to download as CSV or PDF</li>
        </ul>
        <div className={styles.actions}>
          <ButtonLink size="large" href="/auth/signup" data-visitor>
            Open a free demo account
          </ButtonLink>
          <ButtonLink size="large" look="secondary" href="/user/home">
            Trade Now
          </ButtonLink>
        </div>
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
      lead="Deposits and withdrawals have dates, names and reasons. You always see who has a request, since when, and by when."
    >
      <ul className={styles.cards}>
        <li>
          <Wallet aria-hidden />
          <h3>Deposits</h3>
          <p>
            In bitcoin or Ether, and by card where it is set up, from $1. You see the coin amount at the tape&rsquo;s
            price first.
          </p>
        </li>
        <li>
          <Landmark aria-hidden />
          <h3>Withdrawals</h3>
          <p>
            To your bank or wallet, within {figure('withdrawalBusinessDays')} business days. The amount is set aside at
            once, and comes back if the payment cannot be made.
          </p>
        </li>
        <li>
          <ShieldCheck aria-hidden />
          <h3>Two pairs of eyes</h3>
          <p>Large amounts need two people at the desk, nobody decides on his own, and every step is recorded.</p>
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
        The details are in the <a href="/payment-policy">payment policy</a>.
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
          <a href="/pricing">Compare the plans</a>
        </>
      }
    >
      <ul className={styles.cards}>
        <li>
          <Trophy aria-hidden />
          <h3>Tournaments</h3>
          <p>Announced by the operator. None runs on this platform at present; you can trade without one.</p>
        </li>
        <li>
          <Gift aria-hidden />
          <h3>Bonuses</h3>
          <p>
            Announced by the operator. None is paid on this platform at present; your balance holds only what you put in
            and won.
          </p>
        </li>
        <li>
          <RefreshCw aria-hidden />
          <h3>Cashback</h3>
          <p>
            Announced by the operator. None is paid at present: a trade that is lost is lost, and its stake with it.
          </p>
        </li>
      </ul>
    </Part>
  )
}

function End() {
  return (
    <section className={styles.end} aria-labelledby="begin">
      <h2 className={styles.partTitle} id="begin">
        Try it before you trust it
      </h2>
      <p className={styles.partLead}>Make a demo trade, wait a minute, and follow it on the tape.</p>
      <div className={styles.actions}>
        <ButtonLink size="large" href="/user/home">
          Trade Now <ArrowRight aria-hidden />
        </ButtonLink>
        <ButtonLink size="large" look="secondary" href="/contact-us">
          Ask us something
        </ButtonLink>
      </div>
    </section>
  )
}
