import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { StrikeRates, SupportMail } from '../parts/facts.tsx'

/** The risks, in the order in which a trader meets them. */
export const RISK_DISCLOSURE: readonly LegalSection[] = [
  {
    id: 'in-short',
    title: 'In short',
    body: (
      <ul>
        <li>A timed trade that is wrong loses its whole stake. You can lose everything that you trade with.</li>
        <li>
          Every strike rate pays less for a right trade than a wrong one costs. Without skill or luck, trading costs
          money over time.
        </li>
        <li>A trade cannot lose more than its stake. There is no leverage in it and no margin call.</li>
        <li>Trade only with money that you can afford to lose, and try everything on the demo account first.</li>
      </ul>
    ),
  },
  {
    id: 'loss-of-the-stake',
    title: 'The stake can be lost whole',
    body: (
      <p>
        A timed trade has two ends. If the price at its end is on your side of the entry price, you are paid the stake
        and the percent of the strike rate. If it is on the other side, even by the smallest step, the stake is gone.
        How far the price has moved makes no difference. You cannot leave a trade before its end, so a trade that stands
        badly cannot be stopped.
      </p>
    ),
  },
  {
    id: 'odds',
    title: 'The odds are against a guess',
    body: (
      <>
        <p>
          Prices over a few minutes go up about as often as they go down. The table shows how often a trade must be
          right for wins and losses to even out. For every strike rate that is more than half of the time.
        </p>
        <StrikeRates />
        <p>
          An example: 100 trades of $10 with a right trade paid 75 percent. Right 50 times, you win $375 and lose $500.
          You have lost $125, although you were right as often as wrong.
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
          Cryptocurrencies are among the most volatile things that are traded. Several percent in a minute have
          happened. They are traded without a closing bell, also at night and at weekends, and news, rules, failures of
          an exchange or one large order can move them at any time. Currencies are calmer, and still jump on figures and
          on decisions of central banks.
        </p>
        <p>
          Your entry price is the first one after the trade was accepted. It can differ from the price that was on your
          screen when you pressed Buy or Sell, in either direction.
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
          for cryptocurrencies, a move of a few percent against you takes the whole margin; with a margin of{' '}
          {figure('lowestMargin')}, a move of that size is enough. Losses can come faster than you can react.
        </p>
        <p>
          The timed trades of this platform are not such contracts. They are paid for in full when they are opened, and
          the stake is the most that can be lost.
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
          Figures in our advertising are claims of ours: signal accuracy of {figure('signalAccuracy')}, payouts up to{' '}
          {figure('payoutsUpTo')}, {figure('instruments')} instruments, more than {figure('yearsOfExperience')} years of
          experience. They are no promise of what you will earn. Where enough trades have been settled, we show beside
          them what was really measured, with the number of trades and the dates.
        </p>
        <p>
          The claimed payout is not the payout of a timed trade. The most that one of these pays is 175 percent of the
          stake, the stake included.
        </p>
        <p>Past results, of ours, of yours or of anybody else, say little about results to come.</p>
      </>
    ),
  },
  {
    id: 'simulated-prices',
    title: 'Simulated and recorded prices',
    body: (
      <p>
        The platform can run on live prices of exchanges, on a recording, or on a simulation. While prices are not live,
        every screen that shows one says so, and real trades are refused unless the installation is one for tests. A
        good result on simulated prices, or in the demo account, is easier to reach than one with money of your own at
        stake.
      </p>
    ),
  },
  {
    id: 'void-trades',
    title: 'Trades that cannot be decided',
    body: (
      <p>
        When prices fall silent around the beginning or the end of a trade, it is void and its stake comes back. That
        also happens to trades that stood well. Two operators together may void a trade before its end, for a reason
        that you are told. Nobody can turn a wrong trade into a right one, or a right one into a wrong one.
      </p>
    ),
  },
  {
    id: 'automatic-trading',
    title: 'Automatic trading',
    body: (
      <p>
        A program that trades for you can repeat an error many times before anyone notices. Trades of an automatic
        trader risk their stakes like your own. A plan is paid for once and is not refunded because its trades have
        lost.
      </p>
    ),
  },
  {
    id: 'technical-risks',
    title: 'Technical risks',
    body: (
      <p>
        Networks, devices and exchanges fail. You may be unable to trade, or see prices late. An accepted trade is not
        affected by that: it ends by the prices of the tape, whether you are connected or not. Whoever has your password
        can trade and change your account, so switch on a second factor: withdrawals then ask for it.
      </p>
    ),
  },
  {
    id: 'money-risks',
    title: 'Risks of paying in and out',
    body: (
      <p>
        A coin that is sent to a wrong address, or over a wrong network, is lost. Rates between coins and US dollars
        change until a transfer has arrived. Bank wires can take up to {figure('wireBusinessDaysTo')} business days, and
        fees of banks and networks are not ours to change. The <a href="/payment-policy">Payment Policy</a> has the
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
        private persons, and profits may have to be taxed. Both are for you to find out. New laws can end a service at
        short notice.
      </p>
    ),
  },
  {
    id: 'no-advice',
    title: 'No advice',
    body: (
      <p>
        Nothing on this site is advice to buy or sell. We do not know your means or your plans. Ask somebody independent
        if you are unsure whether this suits you.
      </p>
    ),
  },
  {
    id: 'when-it-hurts',
    title: 'When it stops being a choice',
    body: (
      <p>
        Set yourself a limit before you begin, and stop when you have reached it. Never try to win back a loss with a
        larger stake, and never trade with borrowed money. If you find that you cannot stop, write to <SupportMail />:
        we close trading and deposits on your account at your request, and pay out what is on it.
      </p>
    ),
  },
]
