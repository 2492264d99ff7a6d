import type { ReactNode } from 'react'
import { ContentPage } from '../content-page.tsx'
import { OddsNow } from '../parts/facts.tsx'
import { LivePrice } from '../parts/live-price.tsx'
import { FactCard, type Point, Points, Section, StartLinks, Symbols, TryTheDemo } from '../parts/sections.tsx'
import { TradePicture } from '../parts/trade-picture.tsx'
import { MarketChart } from '../widgets/widgets.tsx'

export interface Coin {
  title: string
  /** The page's name in the breadcrumb. */
  pageName: string
  /** The coin itself: 'Bitcoin Cash'. */
  name: string
  /** Its ticker: 'BCH'. */
  ticker: string
  lead: string
  picture: ReactNode
  about: ReactNode
  facts: readonly (readonly [string, ReactNode])[]
  movers: readonly Point[]
  conditions: ReactNode
}

const CRYPTO_QUOTES = ['BTC', 'USDT']
const CURRENCY_QUOTES = ['EUR', 'GBP', 'USD']

/** Returns the symbols of a coin: against other coins, and against currencies. */
const symbolsOf = (ticker: string) =>
  [
    ['Cryptocurrency', CRYPTO_QUOTES.filter((quote) => quote !== ticker).map((quote) => ticker + quote)],
    ['Currencies', CURRENCY_QUOTES.map((quote) => ticker + quote)],
  ] as const

/** Returns the charts of a coin: the dollar pair first. */
const chartsOf = (ticker: string) =>
  ['USD', 'EUR', 'GBP', 'BTC'].filter((quote) => quote !== ticker).map((quote) => ticker + quote)

/** The page of a coin: what it is, how it is traded here, what moves its price, and the conditions. */
export function CoinPage({ coin, steps }: { coin: Coin; steps?: ReactNode }) {
  return (
    <ContentPage
      title={coin.title}
      name={coin.pageName}
      lead={coin.lead}
      actions={
        <>
          <LivePrice symbol={`${coin.ticker}USD`} name={`${coin.name} in US dollars, and its change in a day`} />
          <StartLinks />
        </>
      }
      picture={coin.picture}
    >
      <Section
        id="coin"
        title={`What ${coin.name} is`}
        aside={<FactCard title={`${coin.name} in figures`} facts={coin.facts} />}
      >
        {coin.about}
      </Section>
      <Section id="chart" title={`${coin.name} in the last 24 hours`}>
        <MarketChart symbols={chartsOf(coin.ticker)} />
      </Section>
      {steps}
      <Section id="trade" title={`How you trade ${coin.name} here`} aside={<TradePicture />}>
        <p>
          You don't buy the coin. You predict whether its price will be higher or lower after a time you choose: one
          minute, three, five, fifteen or thirty minutes, one hour, two hours or a day. <strong>Buy</strong> is right
          when it ends above the entry, <strong>Sell</strong> when it ends below.
        </p>
        <p>
          What a winning trade pays is fixed before you place it: at the strike rate 75/3, Buy wins 75 percent of the
          stake and Sell 3 percent. <OddsNow /> may differ by symbol, duration and hour. A losing trade costs the stake,
          never more. If both prices are equal, you get the stake back.
        </p>
        <p>
          Entry and exit are prices on one public sequence, the tape. Each is recorded before anyone sees it, and none
          can be changed afterwards.
        </p>
        <Symbols groups={symbolsOf(coin.ticker)} />
      </Section>
      <Section id="movers" title="What moves the price">
        <Points points={coin.movers} />
      </Section>
      {coin.conditions}
      <TryTheDemo title={`Try ${coin.name} before it costs anything`} />
    </ContentPage>
  )
}

/** The conditions of every timed trade, for all coins. */
export const TRADE_FACTS: readonly (readonly [string, ReactNode])[] = [
  ['Smallest stake', '$1'],
  ['Most you can lose', 'the stake'],
  ['Durations', '1 minute to 1 day'],
  [
    'A winning trade pays',
    <>
      1 to 100 percent, by <a href="/prices#odds">the odds on offer</a>
    </>,
  ],
  ['Leverage, margin', 'none'],
]
