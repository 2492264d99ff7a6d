import { SALE_RULE, saleFee } from '#kernel/sale-value.ts'
import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { PlanTable, StrikeRates, SupportMail, SupportPhone } from '../parts/facts.tsx'

/** Of the payout, in percent. */
const SALE_FEE = String(saleFee({ rule: SALE_RULE, payout: 100n }))

/** Terms and conditions. If a service is only announced, its section says what the platform does instead. */
export const TERMS: readonly LegalSection[] = [
  {
    id: 'agreement',
    title: 'The agreement',
    body: (
      <>
        <p>
          These terms are the agreement between you and the operator of {figure('brand')} (we, us). They cover the
          public site, the demo account, the real account, the trading plans and everything else you reach through them.
          You accept these terms when you register. If you don't accept them, don't use the platform.
        </p>
        <p>
          Four other documents are part of this agreement: the <a href="/risk-disclosure">Risk Disclosure</a>, the{' '}
          <a href="/privacy">Privacy Policy</a>, the <a href="/aml-policy">AML and KYC Policy</a> and the{' '}
          <a href="/payment-policy">Payment Policy</a>. If one of them is more specific on its subject, it takes
          precedence over these terms.
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
          An account is for one individual, and each individual has one account. It may not be sold, lent or used on
          behalf of anyone else. The details you give when you register must be yours, true and complete, and you must
          keep them up to date.
        </p>
        <p>
          A minor may use the platform only with the permission of a parent or guardian. The person who gives that
          permission is responsible for what the minor does here, and we may ask for it in writing. {'{{minors}}'}
        </p>
        <p>
          Timed trades are restricted or prohibited in some countries. Before you trade, it's your responsibility to
          find out whether you may use them where you live. We may refuse an account where we aren't allowed to offer
          our services.
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
          Every registration includes a demo account with 10,000.00 demo dollars, for {figure('demoDays')} days. We may
          leave it open for longer; at present, we don't close it after the {figure('demoDays')} days. Demo dollars
          aren't money. They can't be withdrawn, transferred or exchanged for anything, and you may reset them to
          10,000.00 at any time.
        </p>
        <p>
          The same rules and prices decide demo and real trades. The two balances are in separate books, and nothing
          moves from one to the other.
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
          We recommend that you start with at least {figure('minimumStart')}. This isn't a limit: the deposit form
          accepts any amount from $1.
        </p>
        <p>
          We credit your deposits to your real account as credits. One credit equals one US dollar of real balance. At
          least {figure('minimumCredits')} credit is needed to trade, because the smallest stake is $1.
        </p>
        <p>
          Credits are prepaid: we don't lend money, and no trade can be opened for more than the balance covers. Used
          credits, for the stake of a lost trade or the price of a plan, are non-refundable. Unused credits are your
          balance, and you may withdraw them as the <a href="/payment-policy">Payment Policy</a> describes.
        </p>
      </>
    ),
  },
  {
    id: 'currency',
    title: 'Currency',
    body: (
      <p>
        Prices in these terms are in Euro, unless another currency is stated. Accounts are in US dollars (USD):
        balances, stakes, payouts, deposits, withdrawals and the prices of plans are in USD, and so are all amounts in
        these terms with a $ sign. You are always charged the USD amount that the screen shows before you confirm.
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
          900, 1,800, 3,600, 7,200 or 86,400 seconds) and a strike rate, and then Buy or Sell. You don't acquire the
          coin or currency itself. The rules below are rule version FT-1; each trade keeps the version it was placed
          under.
        </p>
        <ul>
          <li>
            <strong>Stake.</strong> The amount of a trade, from $1, leaves your balance when the trade is accepted. It's
            the most you can lose on the trade.
          </li>
          <li>
            <strong>Entry.</strong> The first price after the trade was accepted. No one trades at a price that was
            already shown. If there is none within 10 seconds, the trade is void.
          </li>
          <li>
            <strong>Exit.</strong> The last price at or before the end of the trade. It must be later than the entry and
            no more than 10 seconds old at that time; otherwise the trade is void.
          </li>
          <li>
            <strong>Outcome.</strong> Buy wins if the exit is above the entry, Sell if it's below. A winning trade pays
            the stake plus the percentage of its strike rate, rounded to the cent. A losing trade pays nothing. If both
            prices are equal, the trade is a draw, and you get the stake back.
          </li>
          <li>
            <strong>Void.</strong> A void trade returns the stake, no more and no less.
          </li>
          <li>
            <strong>Sale.</strong> You can sell an open trade before its end, except in its first and last 10 seconds,
            while its price isn't fresh, or while the symbol has had prices for less than 30 minutes in a row. Your
            order names the least that you take. The first price after the order decides: you get what the trade is then
            worth, or it isn't sold and continues. Its worth is the payout of a win times its chance under a random walk
            without drift, with the variance that the published prices state, less a fee of {SALE_FEE}% of that payout
            (formula SE-1). A sale can bring less than your stake. It's at the price of the formula, which may be less
            than the trade would have paid.
          </li>
        </ul>
        <p>
          An accepted trade can't be cancelled. No employee can set an outcome. Two operators together may void a trade
          before its end, for a reason that we give you.
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
          A strike rate sets what a winning trade pays, as a percentage of the stake: the first figure for Buy, the
          second for Sell.
        </p>
        <StrikeRates />
        <p>
          The last two columns show how often a trade must win to break even. A timed trade pays at most 175 percent of
          the stake by our first price list, and 200 percent by any, including the stake. Other payout figures on this
          site, such as payouts up to {figure('payoutsUpTo')}, are our own claims and don't apply to these trades.
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
          Every price that the platform shows, or decides trades by, is written to one sequence, the tape, before it's
          shown. A published price is final. Third-party charts and widgets are for illustration only and decide
          nothing.
        </p>
        <p>
          While prices are replayed or simulated, every screen that shows them says so. Real trades are then rejected,
          except on a test installation. A symbol without a current price can't be traded.
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
        stakes open on it. We may change these limits; a trade that would exceed one is rejected with a message and
        costs nothing.
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
        {figure('lowestMargin')}. These figures are the conditions we have announced for contracts for difference. Timed
        trades on this platform use neither leverage nor margin: there are no margin calls, and a trade can't cost more
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
          You buy a trading plan once, at the price shown on the screen. It includes a number of automatic trades a day
          (ATS) and doesn't limit the trades you place yourself. You request a higher plan, and after our approval we
          charge the difference in price.
        </p>
        <PlanTable />
        <p>
          The fully automatic bitcoin trader is a service in which a program places trades without your decision on each
          one, on bitcoin and the other symbols. It follows the signals of a strategy that you choose, with the stake,
          the times and the stops that you set, and at most as many trades a day (UTC) as your plan includes. It's off
          until you start it, and you can pause or stop it at any time. Real money also requires an approved identity
          and your confirmation of how the strategy did so far.
        </p>
        <p>
          A signal that is more than five seconds old isn't traded, and a missed one is never traded later. We may
          switch off a strategy at any time, and say so on your screen. Automatic trades can lose like any other trade,
          and we promise no result. The record of all signals is public on the page <a href="/signals">Signals</a>.
        </p>
      </>
    ),
  },
  {
    id: 'promotions',
    title: 'Tournaments, bonuses and cashback',
    body: (
      <p>
        Tournaments, bonuses and cashback exist only if we announce them, with separate conditions that state who may
        take part, until when, and when a credit may be withdrawn. Without such an announcement, no one has a claim to
        them. We may exclude anyone who tries to obtain one by deceit.
      </p>
    ),
  },
  {
    id: 'your-duties',
    title: 'Your duties',
    body: (
      <>
        <p>
          Keep your password secret, and notify us immediately if you think someone else knows it. In addition, you may
          not:
        </p>
        <ul>
          <li>open a second account, or trade for anyone else;</li>
          <li>deposit money that isn't yours, or that comes from a crime;</li>
          <li>use false documents or false details;</li>
          <li>exploit errors in prices or software, or disrupt the platform or its other users.</li>
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
            because a card payment was reversed after its money was used for trading.
          </li>
        </ul>
        <p>
          Whichever side ends it, open trades still end by their rules, and we pay out the balance that remains after
          what you owe us as the <a href="/payment-policy">Payment Policy</a> describes, unless the law forbids it.
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
          We aren't liable for losses caused by price movements, by your own decisions, or by failures of networks,
          exchanges and devices that aren't ours.
        </p>
        <ul>
          <li>Our liability to you is limited to {figure('liabilityCap')} in total.</li>
          <li>Damage must be reported to us within {figure('damageReportDays')} days after you learn of it.</li>
          <li>Claims lapse after {figure('claimsLapseYears')} year, counted from the event that gave rise to them.</li>
        </ul>
        <p>
          None of this limits any liability that the law doesn't allow us to limit, or affects your right to your
          balance.
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
        e-mail and publish the new text here with its date. If you don't agree, you may end the agreement before that
        day. Trades accepted before it end by the rules they were placed under.
      </p>
    ),
  },
  {
    id: 'questions',
    title: 'Questions and complaints',
    body: (
      <p>
        Write to <SupportMail />, call <SupportPhone />, or use the <a href="/contact-us">contact form</a>. Include the
        trade ID or transaction ID if there is one, so that we can find it. If a part of these terms can't be applied,
        the rest remains in effect.
      </p>
    ),
  },
]
