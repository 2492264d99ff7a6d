import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { FundsPicture } from '../parts/funds-picture.tsx'
import { FactCard, Points, Section, StartLinks, TryTheDemo } from '../parts/sections.tsx'
import { StepIcon } from '../parts/step-icons.tsx'

const head = siteHead({
  path: '/about-us',
  title: 'About us',
  name: 'About',
  description: `Who runs ${figure('brand')}, since when, what you can trade here, and how we keep your money separate from ours.`,
})

export const handle = { still: true }
export const meta = () => head

const PRINCIPLES = [
  {
    title: "Prices that don't change",
    text: 'Each price is written to one sequence, the tape, before anyone sees it. The tape alone decides your trade, by published rules, and no one here can set an outcome.',
    picture: <StepIcon name="tape" />,
  },
  {
    title: 'Money that adds up',
    text: "Every cent that moves is an entry in a ledger that can't be changed afterwards. You can download yours as a statement at any time, and it matches your balance.",
    picture: <StepIcon name="ledger" />,
  },
  {
    title: 'Odds in plain sight',
    text: 'Before you press Buy or Sell, you see what a winning trade pays and how often you must win to break even. Next to our own claims, we show what was actually measured.',
    picture: <StepIcon name="decide" />,
  },
]

/** About us. The company's figures come from the operator; the platform is described as it really works. */
export default function AboutUs() {
  return (
    <ContentPage
      title="A trading platform that shows its work"
      name="About"
      lead={`${figure('brand')} is for people who trade for themselves: short, clear trades on cryptocurrencies and currencies, at prices that anyone can check.`}
      actions={<StartLinks />}
      picture={<FundsPicture />}
    >
      <WhoWeAre />
      <Section id="principles" title="What we hold ourselves to">
        <Points points={PRINCIPLES} />
      </Section>
      <ClientFunds />
      <Section
        id="people"
        title="People who reply"
        lead={
          <>
            Reach us in the live chat on any page, through the <a href="/contact-us">contact form</a>, or at{' '}
            <a href={`mailto:${figure('email')}`}>{figure('email')}</a>. Or call us at{' '}
            <a href={`tel:${figure('phone')}`}>{figure('phone')}</a>.
          </>
        }
      />
      <TryTheDemo />
    </ContentPage>
  )
}

function WhoWeAre() {
  return (
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
        {figure('brand')} was founded in {figure('foundedYear')}. Over {figure('yearsOfExperience')} years of experience
        with markets and software went into it, and one idea: traders shouldn't have to take our word for the price, the
        outcome or the balance. Here, they can check.
      </p>
      <p>
        Our business covers {figure('instruments')} instruments in forex, stocks, commodities, indices and
        cryptocurrencies. On this platform, you trade cryptocurrencies against other coins and against the euro, pound
        and dollar. The order panel lists them all, and gives the reason if one is closed.
      </p>
      <p>
        The figures in the card are our own statements. We publish win rates, measured on settled trades, once there are
        enough trades to be meaningful.
      </p>
    </Section>
  )
}

function ClientFunds() {
  return (
    <Section
      id="client-funds"
      title="Your money is separate from ours"
      aside={
        <FactCard
          title="How you withdraw it"
          facts={[
            ['Smallest withdrawal', '$1'],
            ['Processed within', `${figure('withdrawalBusinessDays')} business days`],
            ['Above $1,000', 'two approvals'],
            ['You always see', 'who is handling it, and by when'],
          ]}
        />
      }
    >
      <p>
        Client funds are segregated: we hold them in accounts separate from the company's own, and don't use them to run
        the business. In the ledger, each trader has separate accounts, including for stakes in open trades and for
        pending withdrawals.
      </p>
      <p>Demo money and real money are in two separate books. Nothing in one can ever affect the other.</p>
      <p>
        For deposits, withdrawals and the documents they need, see the <a href="/payment-policy">Payment Policy</a>. For
        what you can lose, see the <a href="/risk-disclosure">Risk Disclosure</a>.
      </p>
    </Section>
  )
}
