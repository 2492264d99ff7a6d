import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { FactCard, Points, Section, TryTheDemo } from '../parts/sections.tsx'
import { HeatMap, MarketChart, MarketOverview } from '../widgets/widgets.tsx'

const head = siteHead({
  path: '/financial-instruments',
  title: 'Financial instruments',
  name: 'Financial Instruments',
  description: "Prices of every instrument as they're written to the tape: market overview, chart and heat map.",
})

export const handle = { still: true }
export const meta = () => head

const READING = [
  {
    title: 'The overview',
    text: 'One line per symbol: its price, how far it has moved and its path. The quickest way to see a whole market.',
  },
  {
    title: 'The chart',
    text: 'A candle shows four prices of an interval: the open, the close, the high and the low. In the color of rising prices, it closed higher than it opened.',
  },
  {
    title: 'The heat map',
    text: 'Every symbol is a tile; the stronger its color, the further it has moved. A map in one color means the whole market is moving together.',
  },
]

export default function FinancialInstruments() {
  return (
    <ContentPage
      title="Financial instruments"
      name="Financial Instruments"
      lead="What you can trade here, and what it costs right now: a market overview, a chart, and a heat map of what's rising and falling."
    >
      <Section id="overview" title="The market now">
        <MarketOverview />
      </Section>
      <Section id="chart" title="The chart">
        <MarketChart />
      </Section>
      <Section id="heat-map" title="What's rising and falling">
        <HeatMap />
      </Section>
      <Section
        id="tradable"
        title="What you can trade"
        aside={
          <FactCard
            title="Open on this platform"
            facts={[
              ['Cryptocurrency', '31 symbols'],
              ['Currencies', '48 symbols'],
              ['Durations', '1 minute to 1 day'],
              ['Smallest stake', '$1'],
            ]}
          />
        }
      >
        <p>
          <strong>Cryptocurrency</strong>: BCH, BTC, EOS, ETC, ETH, LTC, MKR, PCP, REP, SHIB, TRX, TXR, XLM, XRP, ZEC
          and ZRX, each against BTC and USDT. <strong>Currencies</strong>: the same sixteen, each against EUR, GBP and
          USD. A symbol without a price source stays in the list, closed, with the reason.
        </p>
        <p>
          Our business covers {figure('instruments')} instruments in forex, stocks, commodities and indices as well,
          with margins as low as {figure('lowestMargin')} as announced by us. On this platform the S&P 500, the Nasdaq
          100 and EUR/USD are shown in the strip above, and not traded.
        </p>
        <p>
          Prices here come from the tape, the same that decides trades. Third-party charts are for illustration only:
          their prices can differ and never decide a trade.
        </p>
      </Section>
      <Section id="reading" title="How to read them">
        <Points points={READING} />
      </Section>
      <TryTheDemo title="Watch the market, then try a trade" />
    </ContentPage>
  )
}
