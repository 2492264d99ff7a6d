import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { StrikeRates } from '../parts/facts.tsx'
import { Section, TryTheDemo } from '../parts/sections.tsx'
import { Prose } from '../prose.tsx'
import { MarketOverview, Payouts } from '../widgets/widgets.tsx'

const head = siteHead({
  path: '/live-payouts',
  title: 'Live payouts',
  name: 'Live Payouts',
  description: 'The latest winning trades with real money, without names, as they settle on the tape.',
})

export const handle = { still: true }
export const meta = () => head

export default function LivePayouts() {
  return (
    <ContentPage
      title="Live payouts"
      name="Live Payouts"
      lead="Winning trades with real money, at the moment they settle. Without names, and nothing is invented."
    >
      <Section id="payouts" title="Latest payouts">
        <Payouts />
      </Section>
      <Section
        id="what-you-see"
        title="What you see, and what you don't"
        aside={
          <Prose>
            <StrikeRates />
          </Prose>
        }
      >
        <p>
          Each line is one winning trade with real money: its symbol, Buy or Sell, the stake, the payout and the time.
          We round amounts to whole dollars and times to whole minutes, so that no one can be identified. Demo trades
          are never shown here.
        </p>
        <p>
          The list shows only winning trades. It leaves out losing trades, and there are many: a list of winners says
          nothing about your own chances. The table shows how often a trade must win to break even.
        </p>
        <p>
          A timed trade pays at most 175 percent of its stake by our first price list, and 200 percent by any, including
          the stake. Our advertising mentions payouts of up to {figure('payoutsUpTo')}; these trades don't reach that
          figure.
        </p>
        <p>If the list is empty, no real trade has been won yet. We'd rather show that than fill it.</p>
      </Section>
      <Section id="market" title="The market behind these trades">
        <MarketOverview />
      </Section>
      <TryTheDemo />
    </ContentPage>
  )
}
