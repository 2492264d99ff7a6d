import { figure } from '#web/ui/index.ts'
import { CoinPage } from '../coins/coin-page.tsx'
import { BITCOIN } from '../coins/coins.tsx'
import { siteHead } from '../head.ts'
import { Section, Steps } from '../parts/sections.tsx'
import { StepIcon } from '../parts/step-icons.tsx'

export const bitcoinTradingHead = siteHead({
  path: '/bitcoin-trading',
  title: 'Bitcoin trading',
  name: 'Bitcoin Trading',
  description:
    'Trade the price of bitcoin over one minute to one day in four steps: open an account, fund it, enter an amount, buy or sell.',
})

const STEPS = [
  {
    title: 'Open an account',
    text: 'Name, e-mail, phone and a password. The demo account is there at once, with 10,000 demo dollars.',
    picture: <StepIcon name="account" />,
  },
  {
    title: 'Fund it',
    text: `Pay in by bitcoin, by ether, or by card where that is set up, from $1; we suggest ${figure('minimumStart')} to start with. The account is kept in US dollars.`,
    picture: <StepIcon name="fund" />,
  },
  {
    title: 'Enter an amount',
    text: 'Choose symbol, duration and strike rate, and enter what you want to put on it. You see what a right trade wins.',
    picture: <StepIcon name="amount" />,
  },
  {
    title: 'Buy or sell',
    text: 'Buy when you expect a higher price at the end, Sell when you expect a lower one. The rest is done by the tape.',
    picture: <StepIcon name="decide" />,
  },
]

const steps = (
  <Section id="steps" title="Four steps to your first trade">
    <Steps steps={STEPS} />
  </Section>
)

export function BitcoinTrading() {
  return <CoinPage coin={BITCOIN} steps={steps} />
}
