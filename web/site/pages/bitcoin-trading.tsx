import { figure } from '#web/ui/index.ts'
import { CoinPage } from '../coins/coin-page.tsx'
import { BITCOIN } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'
import { Section, Steps } from '../parts/sections.tsx'
import { StepIcon } from '../parts/step-icons.tsx'

const head = siteHead({
  path: '/bitcoin-trading',
  title: 'Bitcoin trading',
  name: 'Bitcoin Trading',
  description:
    'Trade the price of bitcoin over one minute to one day in four steps: open an account, fund it, enter an amount, buy or sell.',
})

export const handle = { still: true }
export const meta = () => head

const STEPS = [
  {
    title: 'Open an account',
    text: 'Enter your name, e-mail, phone and a password. Your demo account is ready right away, with 10,000 demo dollars.',
    picture: <StepIcon name="account" />,
  },
  {
    title: 'Fund it',
    text: `Deposit bitcoin, ether or, where available, by card, from $1; we suggest starting with ${figure('minimumStart')}. Your account is in US dollars.`,
    picture: <StepIcon name="fund" />,
  },
  {
    title: 'Enter an amount',
    text: 'Choose a symbol, duration and strike rate, and enter your stake. You see what a winning trade pays.',
    picture: <StepIcon name="amount" />,
  },
  {
    title: 'Buy or sell',
    text: 'Buy if you expect a higher price at the end, Sell if you expect a lower one. The tape does the rest.',
    picture: <StepIcon name="decide" />,
  },
]

const steps = (
  <Section id="steps" title="Four steps to your first trade">
    <Steps steps={STEPS} />
  </Section>
)

export default function BitcoinTrading() {
  return <CoinPage coin={BITCOIN} steps={steps} />
}
