import { figure } from '#web/ui/index.ts'
import { FactCard, Section } from '../parts/sections.tsx'
import { type Coin, TRADE_FACTS } from './coin-page.tsx'
import { AgreementPicture, EpochPicture, ForkPicture, HalvingPicture, PacePicture } from './pictures.tsx'

/** The conditions' text on contracts for difference, which this platform doesn't offer. */
const announced = (
  <p>
    Contracts for difference on cryptocurrencies are announced by us with leverage of up to {figure('leverage')}. The
    trades on this platform are timed trades, which use no leverage: you pay the stake when the trade is accepted, and
    it is the most that you can lose.
  </p>
)

const maximumPosition = (
  <p>
    The maximum accumulated position is {figure('maxPosition')} notional. On this platform that is the sum of all real
    stakes that are open on one symbol of the coin. A trade that would exceed it is refused with a message, and costs
    nothing.
  </p>
)

export const BITCOIN: Coin = {
  title: 'Bitcoin trading',
  pageName: 'Bitcoin Trading',
  name: 'Bitcoin',
  ticker: 'BTC',
  lead: 'Trade the price of the first and largest cryptocurrency, from one minute to one day, up or down.',
  picture: <HalvingPicture />,
  about: (
    <>
      <p>
        Bitcoin is money that no bank and no state issues. It began in January 2009, after a paper by somebody who
        called himself Satoshi Nakamoto, and is kept by thousands of computers that all hold the same list of payments.
      </p>
      <p>
        About every ten minutes a new block of payments is added to that list. Whoever adds it has proven work and is
        paid in new bitcoin; this reward is halved every 210,000 blocks. There will never be more than 21 million.
      </p>
      <p>
        It is traded day and night, at weekends too, on exchanges all over the world. Its price has moved by several
        percent within a minute. That is what makes it interesting to traders, and what makes it dangerous.
      </p>
    </>
  ),
  facts: [
    ['Ticker', 'BTC'],
    ['First block', '3 January 2009'],
    ['A block every', '10 minutes, about'],
    ['Reward of a block', '3.125 BTC since April 2024'],
    ['At most', '21 million BTC'],
  ],
  movers: [
    {
      title: 'Demand of funds',
      text: 'Funds that hold bitcoin for their clients buy and sell for hundreds of millions of dollars in a day. Their flows are published, and watched.',
    },
    {
      title: 'Interest rates',
      text: 'When central banks make money dearer, risky assets tend to fall, and bitcoin with them. Announcements come at known times.',
    },
    {
      title: 'Rules and failures',
      text: 'A new law, a court, a hacked or failing exchange: news of this kind has moved the price within seconds.',
    },
  ],
  conditions: (
    <Section
      id="conditions"
      title="Conditions"
      aside={<FactCard title="Bitcoin as a timed trade" facts={TRADE_FACTS} />}
    >
      {announced}
      <p>
        <strong>The fully automatic bitcoin trader</strong> is part of our <a href="/pricing">trading plans</a>: a
        number of automatic trades a day, without a decision by you for each of them. Its start is announced by notice;
        until then nothing is traded on your account unless you press Buy or Sell. What it may and may not do stands in
        the <a href="/legal#automatic-trader">terms</a>.
      </p>
    </Section>
  ),
}

export const BITCOIN_CASH: Coin = {
  title: 'Bitcoin Cash trading',
  pageName: 'Bitcoin Cash',
  name: 'Bitcoin Cash',
  ticker: 'BCH',
  lead: 'The same roots as Bitcoin, larger blocks, and a price of its own. Trade it against coins, dollars, euros and pounds.',
  picture: <ForkPicture />,
  about: (
    <>
      <p>
        On 1 August 2017, at block 478,558, a part of Bitcoin's community went its own way. The quarrel was about size:
        how many payments should fit into a block? Bitcoin kept its blocks small. Bitcoin Cash made them larger, first 8
        and later 32 megabytes, so that payments stay cheap and quick.
      </p>
      <p>
        Everything up to that block the two have in common, also the limit of 21 million coins and the ten minutes
        between blocks. Since then each has its own miners, its own developers and its own price.
      </p>
      <p>
        Fewer people trade Bitcoin Cash than Bitcoin. Its price therefore often moves further on the same news, and a
        single large order shows.
      </p>
    </>
  ),
  facts: [
    ['Ticker', 'BCH'],
    ['Separate since', '1 August 2017'],
    ['A block every', '10 minutes, about'],
    ['Size of a block', 'up to 32 MB'],
    ['At most', '21 million BCH'],
  ],
  movers: [
    {
      title: 'Bitcoin itself',
      text: 'The two still rise and fall together more often than not. BCHBTC, the chart that quick trading begins with, shows only where they part.',
    },
    {
      title: 'Listings',
      text: 'An exchange or a payment service that takes the coin in, or drops it, changes how many can buy it.',
    },
    {
      title: 'Upgrades',
      text: 'New rules of the network come at dates that are known before. When its people disagreed in 2018, the chain split again.',
    },
  ],
  conditions: (
    <Section
      id="conditions"
      title="Conditions"
      aside={
        <FactCard
          title="Bitcoin Cash as a timed trade"
          facts={[...TRADE_FACTS, ['Maximum accumulated position', figure('maxPosition')]]}
        />
      }
    >
      {maximumPosition}
      {announced}
    </Section>
  ),
}

export const LITECOIN: Coin = {
  title: 'Litecoin trading',
  pageName: 'Litecoin Trading',
  name: 'Litecoin',
  ticker: 'LTC',
  lead: 'One of the oldest coins after Bitcoin: four times as quick, four times as many. Trade where its price goes next.',
  picture: <PacePicture />,
  about: (
    <>
      <p>
        Charlie Lee, then an engineer at Google, published Litecoin in October 2011. He took Bitcoin's program and
        changed three things: a block every two and a half minutes instead of ten, 84 million coins instead of 21, and
        another kind of work for its miners, called Scrypt.
      </p>
      <p>
        So a payment is confirmed sooner. Litecoin has run without a longer break ever since, and some improvements were
        tried here before Bitcoin took them over.
      </p>
      <p>
        Its reward, too, is halved: every 840,000 blocks, the last time in August 2023, to 6.25 litecoin. Traders know
        these dates, and the price often moves before them rather than after.
      </p>
    </>
  ),
  facts: [
    ['Ticker', 'LTC'],
    ['Since', 'October 2011'],
    ['A block every', '2.5 minutes, about'],
    ['Reward of a block', '6.25 LTC since August 2023'],
    ['At most', '84 million LTC'],
  ],
  movers: [
    {
      title: 'Bitcoin itself',
      text: 'Litecoin mostly goes where Bitcoin goes, sometimes a little later and further. LTCBTC shows the difference alone.',
    },
    {
      title: 'Halvings',
      text: 'Every four years or so fewer new coins come to the market. The date is known; what others make of it is not.',
    },
    {
      title: 'Use in payments',
      text: 'Low fees make it a coin to pay with. A large service that accepts it, or stops to, is news.',
    },
  ],
  conditions: (
    <Section
      id="conditions"
      title="Conditions"
      aside={
        <FactCard
          title="Litecoin as a timed trade"
          facts={[...TRADE_FACTS, ['Maximum accumulated position', figure('maxPosition')]]}
        />
      }
    >
      {maximumPosition}
      {announced}
    </Section>
  ),
}

export const ETHEREUM: Coin = {
  title: 'Ethereum trading',
  pageName: 'Ethereum Trading',
  name: 'Ethereum',
  ticker: 'ETH',
  lead: 'The network that runs programs, and the coin that pays for them. Trade the price of ether in either direction.',
  picture: <EpochPicture />,
  about: (
    <>
      <p>
        Ethereum, begun on 30 July 2015, is more than a list of payments. It runs programs that nobody can stop or
        alter, called smart contracts: other coins, exchanges, loans and collectibles live on it. Each step of such a
        program is paid for in ether, ETH.
      </p>
      <p>
        Since 15 September 2022 there are no miners. Whoever wants to propose blocks locks up ether as a security and
        loses part of it when he cheats. A slot for a block comes every 12 seconds.
      </p>
      <p>
        There is no upper limit to the number of ether, but part of every fee is destroyed. When much happens on the
        network, more can disappear than is made.
      </p>
    </>
  ),
  facts: [
    ['Ticker', 'ETH'],
    ['Since', '30 July 2015'],
    ['A block every', '12 seconds'],
    ['Proof of stake since', '15 September 2022'],
    ['At most', 'no fixed limit'],
  ],
  movers: [
    {
      title: 'Use of the network',
      text: 'When programs on Ethereum are in demand, fees rise and more ether is destroyed. Quiet weeks do the opposite.',
    },
    {
      title: 'Upgrades',
      text: 'Large changes are planned for months and switched on at a known block. Delays and faults show in the price.',
    },
    {
      title: 'Other networks',
      text: 'Cheaper networks compete for the same programs. ETHBTC shows how ether does against Bitcoin alone.',
    },
  ],
  conditions: (
    <Section
      id="conditions"
      title="Conditions"
      aside={<FactCard title="Ethereum as a timed trade" facts={TRADE_FACTS} />}
    >
      <p>For contracts for difference on Ethereum these conditions are announced by us:</p>
      <ul>
        <li>
          Leverage: up to <strong>{figure('leverage')}</strong>
        </li>
        <li>
          Margin: <strong>{figure('ethereumMargin')}</strong>
        </li>
        <li>
          Minimum trade size: <strong>{figure('ethereumMinimumSize')}</strong>
        </li>
        <li>Trading hours: day and night, seven days a week</li>
        <li>Currency of the account: USD</li>
      </ul>
      <p>
        The trades on this platform are timed trades. They use neither leverage nor margin; the smallest stake is $1,
        and the stake is the most that you can lose.
      </p>
    </Section>
  ),
}

export const RIPPLE: Coin = {
  title: 'Ripple trading',
  pageName: 'Ripple Trading',
  name: 'XRP',
  ticker: 'XRP',
  lead: 'XRP, the coin that most people call Ripple, was made to move money between banks in seconds. Its price moves as quickly.',
  picture: <AgreementPicture />,
  about: (
    <>
      <p>
        XRP is the coin of the XRP Ledger, which has run since June 2012. Ripple is the name of the company that builds
        payment services on it and holds a large part of the coins; people use it for the coin as well.
      </p>
      <p>
        Nothing is mined. All 100 billion XRP were made at the beginning, and a tiny part is destroyed with each
        payment. A list of trusted validators agrees on the next ledger every three to five seconds, and a payment that
        is in it is final.
      </p>
      <p>
        A part of Ripple's own coins lies in escrow, from which a fixed amount is released each month. What the company
        sells, locks up again or loses in court has always mattered to the price.
      </p>
    </>
  ),
  facts: [
    ['Ticker', 'XRP'],
    ['Since', 'June 2012'],
    ['A ledger every', '3 to 5 seconds'],
    ['Mining', 'none'],
    ['At most', '100 billion XRP'],
  ],
  movers: [
    {
      title: 'Courts and regulators',
      text: 'The case of the American authorities against Ripple, from 2020 on, moved the price by tens of percent on single days.',
    },
    {
      title: 'Escrow',
      text: 'Each month coins are released, and part of them is locked again. The amounts are public.',
    },
    {
      title: 'Banks and payments',
      text: 'A bank that uses the ledger, or a network that competes with it, is news for XRP more than for other coins.',
    },
  ],
  conditions: (
    <Section id="conditions" title="Conditions" aside={<FactCard title="XRP as a timed trade" facts={TRADE_FACTS} />}>
      {announced}
      <p>
        The operator may limit the stakes that are open on a symbol. A trade that would exceed a limit is refused with a
        message, and costs nothing.
      </p>
    </Section>
  ),
}
