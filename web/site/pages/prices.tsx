import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { Section, TryTheDemo } from '../parts/sections.tsx'
import { Prose } from '../prose.tsx'
import { OddsWidget } from '../widgets/odds/odds-widget.tsx'
import { PriceCompositionWidget } from '../widgets/price-composition/price-composition-widget.tsx'

const head = siteHead({
  path: '/prices',
  title: 'How prices are made',
  name: 'Prices',
  description:
    'Every price is the median of several exchanges. See the quote of each exchange live, see which ones count and why, and download the tape.',
})

export const handle = { still: true }
export const meta = () => head

/** Where each price comes from: the exchanges behind it, live, the rules in plain English, and the tape itself. */
export default function Prices() {
  return (
    <ContentPage
      title="How prices are made"
      name="Prices"
      lead="Every price that settles a trade is the median of several exchanges at that moment. Here you see the quote of each, and whether and why it counts."
    >
      <PriceCompositionWidget />
      <OddsWidget />
      <Rules />
      <TryTheDemo />
    </ContentPage>
  )
}

function Rules() {
  return (
    <Section id="rules" title="The rules">
      <Prose>
        <ol>
          <li>
            <strong>Several exchanges, not one.</strong> We read the order book of each exchange that lists a symbol,
            and take the middle of what a fixed amount would be sold and bought for there. A small order moves that
            price by as little as its share of the amount.
          </li>
          <li>
            <strong>Each quote is checked.</strong> It must be a positive number with a plausible time, its bid below
            its ask. Quotes that fail are dropped and counted. An exchange whose book is too thin or too wide is left
            out.
          </li>
          <li>
            <strong>Old quotes don’t count.</strong> An exchange that is silent, late or disconnected is left out until
            it’s back. A quoted bid and ask holds while its exchange shows signs of life, a trade for five seconds.
          </li>
          <li>
            <strong>Outliers are dropped.</strong> An exchange whose price is too far from the others’ is left out. We
            compare exchanges with each other, never with our own last price: markets do jump.
          </li>
          <li>
            <strong>The median is the price.</strong> At least two exchanges and a majority of them must agree.
            Otherwise there is no price, and no trade opens.
          </li>
          <li>
            <strong>Nobody changes the exchanges alone.</strong> While real trades are open on an exchange’s symbols, it
            takes two operators to take it out or to put it back, and the trades that end within five minutes end first.
            Every switch is listed <a href="#switches">above</a> and under <a href="/incidents">Incidents</a>.
          </li>
          <li>
            <strong>Bad sources are locked out.</strong> An exchange that sends junk, or drifts from the others for a
            minute, is ignored until it has been right for five minutes.
          </li>
          <li>
            <strong>Some prices have two legs.</strong> If too few exchanges list a pair, its price is one pair divided
            by another, such as XRP in dollars by pounds in dollars. Each leg follows all rules, and the price is as old
            as the older leg.
          </li>
          <li>
            <strong>Then it’s final.</strong> Prices are written to the tape before anyone sees them, up to four times a
            second. Each frame of the tape has a hash that includes all frames before it. Nobody can change a published
            price, and trades are settled by the tape alone.
          </li>
        </ol>
        <p>
          When no exchange can be reached, a test installation shows simulated prices and says so. Prices of different
          kinds never mix: a trade that was open when the kind changed is void, and its stake is returned.
        </p>
      </Prose>
    </Section>
  )
}
