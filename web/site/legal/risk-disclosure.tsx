import { SALE_RULE, saleFee } from '#kernel/sale-value.ts'
import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { StrikeRates, SupportMail } from '../parts/facts.tsx'

/** Of the payout, in percent. */
const SALE_FEE = String(saleFee({ rule: SALE_RULE, payout: 100n }))

/** The risks, in the order in which a trader meets them. */
export const RISK_DISCLOSURE: readonly LegalSection[] = [
  {
    id: 'in-short',
    title: 'In short',
    body: (
      <ul>
        <li>A losing timed trade loses its whole stake. You can lose everything you trade with.</li>
        <li>
          A winning trade never pays more than a losing one costs, and nearly always less. Without skill or luck,
          trading costs money over time.
        </li>
        <li>A trade can't lose more than its stake. There is no leverage and no margin call.</li>
        <li>Trade only with money you can afford to lose, and try everything on the demo account first.</li>
      </ul>
    ),
  },
  {
    id: 'loss-of-the-stake',
    title: 'You can lose the whole stake',
    body: (
      <p>
        A timed trade has two outcomes. If the price at its end is on your side of the entry price, you get the stake
        back plus the percentage of the strike rate. If it's on the other side, even by the smallest step, the stake is
        lost. How far the price moved makes no difference. You may sell a trade before its end, at its value at the next
        price less a fee of {SALE_FEE}% of the payout. That value can be far below the stake, and at times a trade can't
        be sold: in its first and last ten seconds, or while prices are missing.
      </p>
    ),
  },
  {
    id: 'odds',
    title: 'The odds are against a guess',
    body: (
      <>
        <p>
          Prices over a few minutes go up about as often as they go down. The table shows how often a trade must win to
          break even: at all of these strike rates, more than half of the time.
        </p>
        <StrikeRates />
        <p>
          For example, take 100 trades of $10 that pay 75 percent when they win. If 50 of them win, you win $375 and
          lose $500: a loss of $125, although you won as often as you lost.
        </p>
      </>
    ),
  },
  {
    id: 'moving-prices',
    title: 'Prices move fast, day and night',
    body: (
      <>
        <p>
          Cryptocurrencies are among the most volatile assets. They have moved by several percent in a minute. They
          trade around the clock, at night and on weekends too, and news, regulation, exchange failures or a single
          large order can move them at any time. Currencies are calmer, but still jump on economic data and central bank
          decisions.
        </p>
        <p>
          Your entry price is the first price after the trade was accepted. It can differ, in either direction, from the
          price on your screen when you pressed Buy or Sell.
        </p>
      </>
    ),
  },
  {
    id: 'leverage',
    title: 'Leverage and margin',
    body: (
      <>
        <p>
          Contracts for difference multiply gains and losses. With leverage of {figure('leverage')}, as we announce it
          for cryptocurrencies, a move of a few percent against you wipes out the whole margin; with a margin of{' '}
          {figure('lowestMargin')}, a move of that size is enough. Losses can come faster than you can react.
        </p>
        <p>
          Timed trades on this platform aren't such contracts. You pay for them in full when you open them, and the
          stake is the most you can lose.
        </p>
      </>
    ),
  },
  {
    id: 'claimed-figures',
    title: 'Claims, signals and the past',
    body: (
      <>
        <p>
          The figures in our advertising are our own claims: signal accuracy of {figure('signalAccuracy')}, payouts up
          to {figure('payoutsUpTo')}, {figure('instruments')} instruments, more than {figure('yearsOfExperience')} years
          of experience. They don't promise what you will earn. Once enough trades have settled, we show the measured
          figures next to them, with the number of trades and the dates.
        </p>
        <p>
          The claimed payout isn't the payout of a timed trade. That includes the stake, and is at most 175 percent of
          it by our first price list, and 200 percent by any.
        </p>
        <p>Past results, whether ours, yours or anyone else's, say little about future results.</p>
      </>
    ),
  },
  {
    id: 'simulated-prices',
    title: 'Simulated and recorded prices',
    body: (
      <p>
        The platform can run on live exchange prices, on a recording, or on a simulation. While prices aren't live,
        every screen that shows them says so, and real trades are rejected, except on a test installation. Good results
        are easier to achieve on simulated prices, or in the demo account, than with your own money at stake.
      </p>
    ),
  },
  {
    id: 'void-trades',
    title: 'Trades that cannot be decided',
    body: (
      <p>
        If no prices arrive around the start or the end of a trade, the trade is void and you get the stake back. That
        also happens to trades that were winning. Two operators together may void a trade before its end, for a reason
        that we give you. No one can turn a losing trade into a winning one, or a winning one into a losing one.
      </p>
    ),
  },
  {
    id: 'automatic-trading',
    title: 'Automatic trading',
    body: (
      <p>
        A program that trades for you can repeat an error many times before anyone notices. Automatic trades risk their
        stakes just like your own trades. Your stops limit the losses, but a strategy that did well may do badly from
        today on. You pay for a plan once, and we don't refund it if its trades lose.
      </p>
    ),
  },
  {
    id: 'technical-risks',
    title: 'Technical risks',
    body: (
      <p>
        Networks, devices and exchanges fail. You may be unable to trade, or see prices late. That doesn't affect an
        accepted trade: it ends by the prices of the tape, whether you are connected or not. Anyone who has your
        password can trade and change your account, so turn on a second factor: withdrawals then require it.
      </p>
    ),
  },
  {
    id: 'money-risks',
    title: 'Risks of deposits and withdrawals',
    body: (
      <p>
        Coins sent to a wrong address, or over a wrong network, are lost. Rates between coins and US dollars keep
        changing until a transfer arrives. Bank wires can take up to {figure('wireBusinessDaysTo')} business days, and
        we can't change the fees of banks and networks. The <a href="/payment-policy">Payment Policy</a> has the
        details.
      </p>
    ),
  },
  {
    id: 'law-and-tax',
    title: 'Law and tax',
    body: (
      <p>
        In some countries timed trades, contracts for difference or cryptocurrencies are restricted or prohibited for
        private individuals, and profits may be taxable. It's your responsibility to find out. New laws can end a
        service at short notice.
      </p>
    ),
  },
  {
    id: 'no-advice',
    title: 'No advice',
    body: (
      <p>
        Nothing on this site is advice to buy or sell. We don't know your finances or your plans. Ask an independent
        adviser if you're unsure whether this is right for you.
      </p>
    ),
  },
  {
    id: 'when-it-hurts',
    title: 'When trading stops being a choice',
    body: (
      <p>
        Set yourself a limit before you begin, and stop when you have reached it. Never try to win back a loss with a
        larger stake, and never trade with borrowed money. If you find that you can't stop, write to <SupportMail />: at
        your request, we lock trading and deposits on your account and pay out its balance.
      </p>
    ),
  },
]
