import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { StrikeRates } from '../parts/facts.tsx'
import { Section, TryTheDemo } from '../parts/sections.tsx'
import { Prose } from '../prose.tsx'
import { MarketOverview, Payouts } from '../widgets/widgets.tsx'

export const livePayoutsHead = siteHead({
  path: '/live-payouts',
  title: 'Live payouts',
  name: 'Live Payouts',
  description: 'The newest trades that were won with real money, without names, as they are settled on the tape.',
})

export function LivePayouts() {
  return (
    <ContentPage
      title="Live payouts"
      name="Live Payouts"
      lead="Trades with real money that were right, in the moment in which they are settled. Without names, and without anything made up."
    >
      <Section id="payouts" title="The newest payouts">
        <Payouts />
      </Section>
      <Section
        id="what-you-see"
        title="What you see, and what you do not"
        aside={
          <Prose>
            <StrikeRates />
          </Prose>
        }
      >
        <p>
          Each line is one real trade that was won: its symbol, Buy or Sell, the stake, what was paid, and when. Amounts
          are rounded to whole dollars and times to whole minutes, so that nobody can be recognised by them. Demo trades
          are never shown here.
        </p>
        <p>
          The list shows only what was won. Lost trades are not in it, and there are many: a list of winners says
          nothing about your own chances. How often a trade must be right to break even stands in the table.
        </p>
        <p>
          A timed trade pays at most 175 percent of its stake, the stake included. Payouts of up to{' '}
          {figure('payoutsUpTo')}, as our advertising has it, are a figure of ours that is not reached by these trades.
        </p>
        <p>When the list is empty, no real trade has been won yet. We would rather show that than fill it.</p>
      </Section>
      <Section id="market" title="The market they were traded in">
        <MarketOverview />
      </Section>
      <TryTheDemo />
    </ContentPage>
  )
}
