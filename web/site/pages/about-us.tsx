import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { FundsPicture } from '../parts/funds-picture.tsx'
import { FactCard, Points, Section, TryTheDemo, WaysIn } from '../parts/sections.tsx'
import { StepIcon } from '../parts/step-icons.tsx'

export const aboutUsHead = siteHead({
  path: '/about-us',
  title: 'About us',
  name: 'About',
  description: `Who runs ${figure('brand')}, since when, what you can trade here, and how your money is kept apart from ours.`,
})

const PRINCIPLES = [
  {
    title: 'Prices that stand',
    text: 'Each price is written to one sequence, the tape, before anyone sees it. Your trade is decided by the tape alone, by rules that are published, and nobody here can set an outcome.',
    picture: <StepIcon name="tape" />,
  },
  {
    title: 'Money that adds up',
    text: 'Every cent that moves is an entry in a ledger in which nothing can be changed afterwards. You can download yours as a statement at any time, and it ties out with your balance.',
    picture: <StepIcon name="ledger" />,
  },
  {
    title: 'Odds in plain sight',
    text: 'Before you press Buy or Sell you see what a right trade wins, and how often you must be right to break even. Our own claims stand beside what was really measured.',
    picture: <StepIcon name="decide" />,
  },
]

/** About us. The company's figures come from the operator; the platform is described as it really works. */
export function AboutUs() {
  return (
    <ContentPage
      title="A trading platform that shows its work"
      name="About"
      lead={`${figure('brand')} is for people who trade for themselves: short, clear trades on cryptocurrencies and currencies, at prices that anyone can check.`}
      actions={<WaysIn />}
      picture={<FundsPicture />}
    >
      <Section
        id="who-we-are"
        title="Who we are"
        aside={
          <FactCard
            title={`${figure('brand')} in figures`}
            facts={[
              ['Founded', figure('foundedYear')],
              ['Experience of our team', `over ${figure('yearsOfExperience')} years`],
              ['Instruments', figure('instruments')],
              ['Client funds', 'segregated'],
              ['Demo account', '10,000 demo dollars'],
            ]}
          />
        }
      >
        <p>
          {figure('brand')} was founded in {figure('foundedYear')}. Over {figure('yearsOfExperience')} years of
          experience with markets and software stand behind it, and one idea: a trader should not have to take the
          house's word for the price, the outcome or the balance. Here he can look for himself.
        </p>
        <p>
          Our business covers {figure('instruments')} instruments in forex, stocks, commodities, indices and
          cryptocurrencies. What is open for trading on this platform today are 79 symbols: cryptocurrencies against
          other coins and against euro, pound and dollar. The order panel lists them all, and says why where one is
          closed.
        </p>
        <p>
          Figures in the card are our own statements. Win rates that were measured on settled trades are published once
          there are enough of them to mean something.
        </p>
      </Section>
      <Section id="principles" title="What we hold ourselves to">
        <Points points={PRINCIPLES} />
      </Section>
      <Section
        id="client-funds"
        title="Your money is kept apart from ours"
        aside={
          <FactCard
            title="How it leaves again"
            facts={[
              ['Smallest withdrawal', '$1'],
              ['Processed within', `${figure('withdrawalBusinessDays')} business days`],
              ['Above $1,000', 'two persons approve'],
              ['You always see', 'who has it, and by when'],
            ]}
          />
        }
      >
        <p>
          Client funds are segregated: they are held in accounts separate from the company's own, and are not used to
          run the business. In the ledger each trader has accounts of his own, also for what is staked in open trades
          and for withdrawals that are under way.
        </p>
        <p>
          Demo money and real money live in two books that cannot meet. Nothing that happens in one can ever touch the
          other.
        </p>
        <p>
          How money comes in and goes out, and which documents that needs, stands in the{' '}
          <a href="/payment-policy">Payment Policy</a>; what can be lost, in the{' '}
          <a href="/risk-disclosure">Risk Disclosure</a>.
        </p>
      </Section>
      <Section
        id="people"
        title="People who answer"
        lead={
          <>
            Write to us in the live chat on any page, through the <a href="/contact-us">contact form</a>, or to{' '}
            <a href={`mailto:${figure('email')}`}>{figure('email')}</a>. By phone we are at{' '}
            <a href={`tel:${figure('phone')}`}>{figure('phone')}</a>.
          </>
        }
      />
      <TryTheDemo />
    </ContentPage>
  )
}
