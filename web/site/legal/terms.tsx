import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { PlanTable, StrikeRates, SupportMail, SupportPhone } from '../parts/facts.tsx'

/** Terms and conditions. If a service is only announced, its section says what the platform does instead. */
export const TERMS: readonly LegalSection[] = [
  {
    id: 'agreement',
    title: 'The agreement',
    body: (
      <>
        <p>
          These terms are the agreement between you and the operator of {figure('brand')} (we, us). They cover the
          public site, the demo account, the real account, the trading plans and everything else that you reach through
          them. You accept them when you register. If you do not accept them, please do not use the platform.
        </p>
        <p>
          Four other texts belong to this agreement: the <a href="/risk-disclosure">Risk Disclosure</a>, the{' '}
          <a href="/privacy">Privacy Policy</a>, the <a href="/aml-policy">AML and KYC Policy</a> and the{' '}
          <a href="/payment-policy">Payment Policy</a>. Where one of them is more exact on its own subject, it applies
          before these terms.
        </p>
      </>
    ),
  },
  {
    id: 'who-may-trade',
    title: 'Who may trade',
    body: (
      <>
        <p>
          An account is for one person, and a person has one account. It may not be sold, lent or used on behalf of
          somebody else. The details that you give when you register must be yours, true and complete, and you keep them
          up to date.
        </p>
        <p>
          A minor may use the platform only with the permission of a parent or guardian. Whoever gives that permission
          answers for what the minor does here, and we may ask for it in writing.
        </p>
        <p>
          Timed trades are restricted or prohibited in some countries. Whether you may use them where you live is for
          you to find out before you trade. We may refuse an account where we may not serve it.
        </p>
      </>
    ),
  },
  {
    id: 'demo-account',
    title: 'The demo account',
    body: (
      <>
        <p>
          Every registration brings a demo account with 10,000.00 demo dollars, for {figure('demoDays')} days. We may
          leave it open for longer; at present it is not closed when the {figure('demoDays')} days have passed. Demo
          dollars are not money. They cannot be withdrawn, transferred or exchanged for anything, and you may reset them
          to 10,000.00 at any time.
        </p>
        <p>
          Demo and real trades are decided by the same rules on the same prices. The two balances are kept in separate
          books, and nothing moves from one to the other.
        </p>
      </>
    ),
  },
  {
    id: 'credits',
    title: 'Starting amount and credits',
    body: (
      <>
        <p>
          We recommend that you start with at least {figure('minimumStart')}. This is no limit: the deposit form takes
          any amount from $1.
        </p>
        <p>
          What you pay in is booked to your real account as credits. One credit stands for one US dollar of real
          balance. At least {figure('minimumCredits')} credit is needed to trade, because the smallest stake is $1.
        </p>
        <p>
          Credits are prepaid: we lend no money, and no trade can be opened with more than the balance covers. Credits
          that have been used, for the stake of a lost trade or for the price of a plan, are non-refundable. Credits
          that have not been used are your balance, and you may withdraw them as the{' '}
          <a href="/payment-policy">Payment Policy</a> describes.
        </p>
      </>
    ),
  },
  {
    id: 'currency',
    title: 'Currency',
    body: (
      <p>
        Prices in these terms are in Euro, unless another currency stands beside them. Accounts are kept in US dollars
        (USD): balances, stakes, payouts, deposits, withdrawals and the prices of plans are in USD, and so are all
        amounts in these terms that carry the sign $. The amount that you are charged is always the one in USD that the
        screen shows before you confirm.
      </p>
    ),
  },
  {
    id: 'trades',
    title: 'How a trade works',
    body: (
      <>
        <p>
          The platform offers timed trades on cryptocurrencies, against other coins (trading type Cryptocurrency) and
          against EUR, GBP and USD (trading type Currencies). You choose a symbol, an amount, a duration (60, 180, 300,
          900, 1,800, 3,600, 7,200 or 86,400 seconds) and a strike rate, and then Buy or Sell. You do not acquire the
          coin or the currency itself. The rules below are rule version FT-1; each trade carries the version that it was
          made under.
        </p>
        <ul>
          <li>
            <strong>Stake.</strong> The amount of a trade, from $1, leaves your balance when the trade is accepted. It
            is the most that the trade can lose.
          </li>
          <li>
            <strong>Entry.</strong> The first price after the trade was accepted. Nobody trades at a price that has
            already been shown. If there is none within 10 seconds, the trade is void.
          </li>
          <li>
            <strong>Exit.</strong> The last price at or before the end of the trade. It must be later than the entry and
            at that moment no older than 10 seconds; otherwise the trade is void.
          </li>
          <li>
            <strong>Outcome.</strong> Buy is right when the exit is above the entry, Sell when it is below. A right
            trade is paid the stake and the percent that its strike rate names, rounded to the cent. A wrong one is paid
            nothing. When both prices are equal it is a draw, and the stake comes back.
          </li>
          <li>
            <strong>Void.</strong> A void trade pays back the stake, no more and no less.
          </li>
        </ul>
        <p>
          An accepted trade cannot be cancelled or sold before its end. No employee can set an outcome. Two operators
          together may void a trade that has not reached its end, for a reason that we tell you.
        </p>
      </>
    ),
  },
  {
    id: 'strike-rates',
    title: 'Strike rates',
    body: (
      <>
        <p>
          A strike rate names what a right trade wins, in percent of the stake: the first figure for Buy, the second for
          Sell.
        </p>
        <StrikeRates />
        <p>
          The last two columns say how often a trade must be right for wins and losses to even out. The most that a
          timed trade pays is 175 percent of the stake, the stake included. Other payout figures on this site, such as
          payouts up to {figure('payoutsUpTo')}, are claims of ours and do not apply to these trades.
        </p>
      </>
    ),
  },
  {
    id: 'prices',
    title: 'Prices',
    body: (
      <>
        <p>
          Every price that the platform shows or decides by is written to one sequence, the tape, before it is shown. A
          published price is final. Charts and widgets of third parties are pictures beside it and decide nothing.
        </p>
        <p>
          While prices are replayed or simulated, each screen that shows one says so. Real trades are then refused,
          unless the installation is one for tests. A symbol without a current price cannot be traded.
        </p>
      </>
    ),
  },
  {
    id: 'limits',
    title: 'Limits',
    body: (
      <p>
        We limit the amount of one trade and the sum of a trader's open stakes. For each symbol of Bitcoin Cash and
        Litecoin the maximum accumulated position is {figure('maxPosition')} notional, which here is the sum of all real
        stakes that are open on it. We may change these limits; a trade that would exceed one is refused with a message
        and costs nothing.
      </p>
    ),
  },
  {
    id: 'leverage',
    title: 'Leverage and margin',
    body: (
      <p>
        Where we announce contracts for difference on cryptocurrencies, the leverage is up to {figure('leverage')}, the
        margin for Ethereum is {figure('ethereumMargin')}, and margins on other instruments are as low as{' '}
        {figure('lowestMargin')}. These figures are conditions of contracts for difference as announced by us. The timed
        trades of this platform use neither leverage nor margin: there is no margin call, and a trade cannot cost more
        than its stake.
      </p>
    ),
  },
  {
    id: 'automatic-trader',
    title: 'Plans and the automatic trader',
    body: (
      <>
        <p>
          A trading plan is bought once, at the price that the screen shows. It names a number of automatic trades a day
          (ATS); the trades that you place yourself are not limited by it. A higher plan is requested, and after our
          approval the difference in price is charged.
        </p>
        <PlanTable />
        <p>
          The fully automatic bitcoin trader is a service that places trades by a program, without a decision by you for
          each of them. It can lose like any other trade, and we promise no result. Its start is announced by notice:
          until then nothing is traded on your account unless you press Buy or Sell. Please ask us how far it is before
          you buy a plan for its sake.
        </p>
      </>
    ),
  },
  {
    id: 'promotions',
    title: 'Tournaments, bonuses and cashback',
    body: (
      <p>
        Tournaments, bonuses and cashback exist only when we announce them, with conditions of their own that say who
        may take part, until when, and when a credit may be withdrawn. Without such an announcement there is no claim to
        them. We may exclude whoever tries to obtain one by deceit.
      </p>
    ),
  },
  {
    id: 'your-duties',
    title: 'Your duties',
    body: (
      <>
        <p>
          You keep your password to yourself and tell us at once when you think that somebody else knows it. In addition
          you do not:
        </p>
        <ul>
          <li>open a second account, or trade for somebody else;</li>
          <li>pay in money that is not yours, or that comes from a crime;</li>
          <li>use false documents or false details;</li>
          <li>exploit an error of prices or software, or disturb the platform or its other users.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'termination',
    title: 'How the agreement ends',
    body: (
      <>
        <p>
          You may end it at any time by writing to <SupportMail />, once your open trades have ended. We may terminate
          an account:
        </p>
        <ul>
          <li>for fraud or misuse of the platform;</li>
          <li>for damage done to us;</li>
          <li>
            when its credits have been negative for more than {figure('negativeCreditMonths')} months, for example
            because a card payment was taken back after it had been traded with.
          </li>
        </ul>
        <p>
          Whoever ends it, open trades still end by their rules, and the balance that remains after what you owe us is
          paid out as the <a href="/payment-policy">Payment Policy</a> describes, unless the law forbids it.
        </p>
      </>
    ),
  },
  {
    id: 'liability',
    title: 'Liability',
    body: (
      <>
        <p>
          We do not answer for losses that come from the movement of prices, from your own decisions, or from failures
          of networks, exchanges and devices that are not ours.
        </p>
        <ul>
          <li>Our liability to you is limited to {figure('liabilityCap')} in all.</li>
          <li>Damage must be reported to us within {figure('damageReportDays')} days after you learn of it.</li>
          <li>Claims lapse after {figure('claimsLapseYears')} year, counted from the event that they come from.</li>
        </ul>
        <p>
          None of this limits a liability that the law does not allow us to limit, and none of it touches your right to
          your balance.
        </p>
      </>
    ),
  },
  {
    id: 'changes',
    title: 'Changes to these terms',
    body: (
      <p>
        We may change these terms. A change takes effect {figure('termsNoticeDays')} days after notice: we send it by
        e-mail and publish the new text here with its date. If you do not agree, you may end the agreement before that
        day. Trades that were accepted before it end by the rules that they were made under.
      </p>
    ),
  },
  {
    id: 'questions',
    title: 'Questions and complaints',
    body: (
      <p>
        Write to <SupportMail />, call <SupportPhone />, or use the <a href="/contact-us">contact form</a>. Name the
        trade ID or transaction ID where there is one, so that we can look at the same thing. If a part of these terms
        cannot be applied, the rest stands.
      </p>
    ),
  },
]
