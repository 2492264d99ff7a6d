import { Check } from 'lucide-react'
import { PLANS } from '#contract/terms.ts'
import { ButtonLink, figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import styles from './pricing.module.css'

const head = siteHead({
  path: '/pricing',
  title: 'Trading plans',
  name: 'Trading Plans',
  description:
    'Four plans for automatic trades: Beginner $3,000, Gold $7,600, Platinum $21,199 and Diamond $50,730, with the daily trades each one includes.',
  structured: PLANS.map(({ name, priceUsd, tradesADay, feature }) => ({
    '@type': 'Product',
    name: `${name} plan`,
    description: `${tradesADay} ${tradesADay === 1 ? 'trade' : 'trades'} a day, ${feature}`,
    brand: { '@type': 'Brand', name: figure('brand') },
    offers: { '@type': 'Offer', price: priceUsd, priceCurrency: 'USD', availability: 'https://schema.org/InStock' },
  })),
})

export const handle = { still: true }
export const meta = () => head

const WHOLE = new Intl.NumberFormat('en-US')

const QUESTIONS = [
  {
    title: 'What is a plan for?',
    text: "Automatic trades (ATS) with real money: you choose a published strategy, a stake and stops, and the plan sets how many trades may be placed for you per day (UTC). You don't need a plan for manual trades, and it doesn't limit them.",
  },
  {
    title: 'When do automatic trades begin?',
    text: 'When you start them. A new plan changes nothing by itself. You also need an approved identity, and you confirm how the strategy did so far.',
  },
  {
    title: 'Can I try them first?',
    text: 'Yes. On the demo account everyone has up to 14 automatic trades a day without a plan, and can test any settings on past prices.',
  },
  {
    title: 'How do I pay?',
    text: "From your live balance, once you're signed in. You see the price and your new balance, and confirm before we charge you.",
  },
  {
    title: 'Can I change to a higher plan?',
    text: "Yes. You request the upgrade, an operator reviews it, and you pay the difference in price once it's approved. You aren't charged while you wait.",
  },
  {
    title: 'Does a plan promise a profit?',
    text: 'No. Automatic trades win and lose like any other, and you pay for the plan either way. Every signal and its outcome is published: compare a strategy’s hit rate with the rate it needs before you buy.',
  },
]

/** The four plans. Purchase leads to the account's plans, through sign-in if necessary. */
export default function Pricing() {
  return (
    <ContentPage
      title="Trading plans"
      name="Trading Plans"
      lead="A plan adds automatic trades to your account for a one-time price. You don't need one for manual trading."
    >
      <div>
        <ul className={styles.plans}>
          {PLANS.map(({ name, value, priceUsd, tradesADay, feature }) => (
            <li className={styles.plan} key={value} data-plan={value}>
              <h2 className={styles.name}>{name}</h2>
              <p className={styles.price}>
                ${WHOLE.format(priceUsd)} <span>once</span>
              </p>
              <ul className={styles.features}>
                <li data-trades-a-day>
                  <Check aria-hidden />
                  {tradesADay} {tradesADay === 1 ? 'trade' : 'trades'}/day
                </li>
                <li>
                  <Check aria-hidden />
                  {feature}
                </li>
              </ul>
              <ButtonLink href="/auth/signin" wide data-purchase aria-label={`Purchase ${name}`}>
                Purchase
              </ButtonLink>
            </li>
          ))}
        </ul>
        <p className={styles.note}>
          ATS stands for automatic trades. You buy plans in live mode, in US dollars, from your balance.{' '}
          <a href="/signals">See what the strategies’ signals did</a>
        </p>
      </div>
      <section aria-labelledby="questions">
        <h2 className={styles.title} id="questions">
          Before you buy
        </h2>
        <dl className={styles.questions}>
          {QUESTIONS.map(({ title, text }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
    </ContentPage>
  )
}
