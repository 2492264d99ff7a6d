import { figure } from '#web/ui/index.ts'
import { FactCard, Section } from '../parts/sections.tsx'
import { type Coin, TRADE_FACTS } from './coin-page.tsx'
import { AgreementPicture, EpochPicture, ForkPicture, HalvingPicture, PacePicture } from './pictures.tsx'

/** The conditions' text on contracts for difference, which this platform doesn't offer. */
const announced = (
  <p>
    We have announced contracts for difference on cryptocurrencies with leverage of up to {figure('leverage')}. Trades
    on this platform are timed trades without leverage: you pay the stake when your trade is accepted, and it's the most
    you can lose.
  </p>
)

const maximumPosition = (
  <p>
    The maximum accumulated position is {figure('maxPosition')} notional. On this platform, that's the sum of all real
    stakes open on one symbol of the coin. A trade that would exceed it is rejected with a message, and costs nothing.
  </p>
)

export const BITCOIN: Coin = {
  title: 'Bitcoin trading',
  pageName: 'Bitcoin Trading',
  name: 'Bitcoin',
  ticker: 'BTC',
  lead: 'Trade the price of the first and largest cryptocurrency, up or down, from one minute to one day.',
  picture: <HalvingPicture />,
  about: (
    <>
      <p>
        Bitcoin is money issued by no bank or government. It started in January 2009, after a paper by an author using
        the name Satoshi Nakamoto, and is maintained by thousands of computers that all hold the same list of payments.
      </p>
      <p>
        About every ten minutes, a new block of payments is added to that list. The miner who adds it has proven their
        work and is paid in new bitcoin. This reward is halved every 210,000 blocks, and there will never be more than
        21 million bitcoin.
      </p>
      <p>
        It trades around the clock, weekends included, on exchanges all over the world. Its price has moved by several
        percent within a minute. That makes it interesting to traders, and risky.
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
      title: 'Demand from funds',
      text: "Funds that hold bitcoin for their clients buy and sell hundreds of millions of dollars' worth in a day. Their flows are published and closely watched.",
    },
    {
      title: 'Interest rates',
      text: 'When central banks raise rates, risky assets tend to fall, and bitcoin with them. Announcements come at scheduled times.',
    },
    {
      title: 'Rules and failures',
      text: 'New laws, court rulings, and hacked or failing exchanges have moved the price within seconds.',
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
        number of automatic trades a day that follow a published strategy within your own limits. It's off until you
        start it, and you can try it on the demo account without a plan. It wins and loses like any other trade:{' '}
        <a href="/signals">see what every strategy's signals did</a>. What it may and may not do is set out in the{' '}
        <a href="/legal#automatic-trader">terms</a>.
      </p>
    </Section>
  ),
}

export const BITCOIN_CASH: Coin = {
  title: 'Bitcoin Cash trading',
  pageName: 'Bitcoin Cash',
  name: 'Bitcoin Cash',
  ticker: 'BCH',
  lead: 'The same roots as Bitcoin, but larger blocks and a separate price. Trade it against coins, dollars, euros and pounds.',
  picture: <ForkPicture />,
  about: (
    <>
      <p>
        On 1 August 2017, at block 478,558, part of Bitcoin's community split off. The dispute was about size: how many
        payments should fit into a block? Bitcoin kept its blocks small. Bitcoin Cash made them larger, first 8 and
        later 32 megabytes, to keep payments cheap and fast.
      </p>
      <p>
        The two share everything up to that block, including the limit of 21 million coins and the ten minutes between
        blocks. Since then, each has had its own miners, developers and price.
      </p>
      <p>
        Fewer people trade Bitcoin Cash than Bitcoin, so its price often moves further on the same news, and a single
        large order can move it.
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
      text: 'The two still rise and fall together more often than not. BCHBTC, the default chart in quick trading, shows where they diverge.',
    },
    {
      title: 'Listings',
      text: 'When an exchange or payment service adds or drops the coin, more or fewer people can buy it.',
    },
    {
      title: 'Upgrades',
      text: 'New network rules take effect on dates that are known in advance. When its community disagreed in 2018, the chain split again.',
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
  lead: 'One of the oldest coins after Bitcoin: four times as fast, four times as many. Trade where its price goes next.',
  picture: <PacePicture />,
  about: (
    <>
      <p>
        Charlie Lee, then an engineer at Google, published Litecoin in October 2011. It is Bitcoin's program with three
        changes: a block every two and a half minutes instead of ten, 84 million coins instead of 21, and a different
        kind of work for its miners, called Scrypt.
      </p>
      <p>
        As a result, payments are confirmed sooner. Litecoin has run without a long outage ever since, and some
        improvements were tried here before Bitcoin adopted them.
      </p>
      <p>
        Its reward is halved, too: every 840,000 blocks, most recently in August 2023, to 6.25 litecoin. Traders know
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
      text: 'Litecoin mostly follows Bitcoin, sometimes a little later and further. LTCBTC shows only the difference.',
    },
    {
      title: 'Halvings',
      text: "Every four years or so, fewer new coins come to market. The date is known; the market's reaction isn't.",
    },
    {
      title: 'Use in payments',
      text: "Low fees make it a coin to pay with. It's news when a large service starts or stops accepting it.",
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
        Ethereum, launched on 30 July 2015, is more than a list of payments. It runs programs that no one can stop or
        change, called smart contracts: other coins, exchanges, loans and collectibles are built on it. Each step of
        such a program is paid for in ether, ETH.
      </p>
      <p>
        Since 15 September 2022, there are no miners. Validators lock up ether as a deposit to propose blocks, and lose
        part of it if they cheat. There is a slot for a block every 12 seconds.
      </p>
      <p>
        The supply of ether has no upper limit, but part of every fee is destroyed. When the network is busy, more can
        be destroyed than is created.
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
      text: 'Large changes are planned for months and activated at a known block. Delays and bugs show in the price.',
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
      <p>We have announced these conditions for contracts for difference on Ethereum:</p>
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
        <li>Trading hours: 24 hours a day, seven days a week</li>
        <li>Account currency: USD</li>
      </ul>
      <p>
        Trades on this platform are timed trades, without leverage or margin. The smallest stake is $1, and the stake is
        the most you can lose.
      </p>
    </Section>
  ),
}

export const RIPPLE: Coin = {
  title: 'Ripple trading',
  pageName: 'Ripple Trading',
  name: 'XRP',
  ticker: 'XRP',
  lead: 'XRP, the coin most people call Ripple, was built to move money between banks in seconds. Its price moves just as fast.',
  picture: <AgreementPicture />,
  about: (
    <>
      <p>
        XRP is the coin of the XRP Ledger, which has run since June 2012. Ripple is the company that builds payment
        services on it and holds a large share of the coins; people use the name for the coin as well.
      </p>
      <p>
        Nothing is mined. All 100 billion XRP were created at the start, and a tiny amount is destroyed with each
        payment. Trusted validators agree on the next ledger every three to five seconds, and any payment in it is
        final.
      </p>
      <p>
        Some of Ripple's own coins are in escrow, which releases a fixed amount each month. What the company sells,
        locks up again or loses in court has always mattered to the price.
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
      text: "The US authorities' case against Ripple, which began in 2020, moved the price by tens of percent on single days.",
    },
    {
      title: 'Escrow',
      text: 'Each month, coins are released and some of them are locked again. The amounts are public.',
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
        The operator may limit the open stakes on a symbol. A trade that would exceed a limit is rejected with a
        message, and costs nothing.
      </p>
    </Section>
  ),
}
