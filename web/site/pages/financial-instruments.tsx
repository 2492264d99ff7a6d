import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { FactCard, Points, Section, TryTheDemo } from '../parts/sections.tsx'
import { HeatMap, MarketChart, MarketOverview } from '../widgets/widgets.tsx'

export const financialInstrumentsHead = siteHead({
  path: '/financial-instruments',
  title: 'Financial instruments',
  name: 'Financial Instruments',
  description: 'Prices of every instrument as they are written to the tape: overview, chart and the map of changes.',
})

const READING = [
  {
    title: 'The overview',
    text: 'One line for each symbol: its price, how far it has moved, and the way it took. It is the quickest look at a whole market.',
  },
  {
    title: 'The chart',
    text: 'A candle shows four prices of its time: where it opened and closed, and how high and low it went. Filled with the colour of up, it closed higher than it opened.',
  },
  {
    title: 'The heat map',
    text: 'Every symbol is a field; the stronger its colour, the further it has moved. A whole map of one colour says that the market moves as one.',
  },
]

export function FinancialInstruments() {
  return (
    <ContentPage
      title="Financial instruments"
      name="Financial Instruments"
      lead="What can be traded here, and what it costs at this moment: the overview of the market, the chart of a symbol, and the map of what rises and falls."
    >
      <Section id="overview" title="The market now">
        <MarketOverview />
      </Section>
      <Section id="chart" title="The chart">
        <MarketChart />
      </Section>
      <Section id="heat-map" title="What rises and falls">
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
          USD. A symbol that no source of prices has stays in the list, closed, with the reason.
        </p>
        <p>
          Our business covers {figure('instruments')} instruments in forex, stocks, commodities and indices as well,
          with margins as low as {figure('lowestMargin')} as announced by us. On this platform the S&P 500, the Nasdaq
          100 and EUR/USD are shown in the strip above, and not traded.
        </p>
        <p>
          Prices here are those of the tape, the same that trades are decided by. Charts of third parties are pictures
          beside it: their prices can differ, and decide nothing.
        </p>
      </Section>
      <Section id="reading" title="How to read it">
        <Points points={READING} />
      </Section>
      <TryTheDemo title="Watch it move, then try a trade" />
    </ContentPage>
  )
}
