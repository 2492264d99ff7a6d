import { ButtonLink } from '#web/ui/index.ts'
import { siteHead } from './head.ts'
import styles from './home.module.css'
import { ProductPicture } from './product-picture.tsx'
import { SiteFrame } from './site-frame.tsx'

const FACTS = [
  {
    title: 'Prices you can check',
    text: 'Each price is written to a public tape before anyone sees it. Your trade settles on that tape and on nothing else.',
  },
  {
    title: 'A demo with real manners',
    text: 'Ten thousand demo dollars, the same tape, the same rules. Reset it whenever you like.',
  },
  {
    title: 'You see the odds',
    text: 'Before you press Buy or Sell you see what a right trade brings, and how often you must be right to break even.',
  },
]

export const homeHead = siteHead({
  path: '/',
  title: 'Cleartick: trade with confidence',
  description:
    'Timed trades on cryptocurrencies and currency pairs, at prices that anyone can check. Free demo account.',
})

/** The start page, in its first plain form: what this is, and the ways in. */
export function Home() {
  return (
    <SiteFrame>
      <div className={styles.hero}>
        <div className={styles.words}>
          <h1 className={styles.title}>Trade with confidence</h1>
          <p className={styles.lead}>
            Timed trades on cryptocurrencies and currency pairs, from one minute to one day. Try every one of them on a
            free demo account first.
          </p>
          <div className={styles.actions}>
            <ButtonLink size="large" href="/user/home" data-home>
              Trade Now
            </ButtonLink>
            <ButtonLink size="large" look="secondary" href="/auth/signup" data-visitor>
              Open a free account
            </ButtonLink>
          </div>
        </div>
        <ProductPicture />
      </div>
      <ul className={styles.facts}>
        {FACTS.map((fact) => (
          <li key={fact.title}>
            <h2 className={styles.factTitle}>{fact.title}</h2>
            <p>{fact.text}</p>
          </li>
        ))}
      </ul>
    </SiteFrame>
  )
}
