import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { PlanTable, SupportMail } from '../parts/facts.tsx'

/** Deposits and withdrawals: methods, times, documents. */
export const PAYMENT_POLICY: readonly LegalSection[] = [
  {
    id: 'in-short',
    title: 'In short',
    body: (
      <dl>
        <dt>Accounts</dt>
        <dd>One account per client</dd>
        <dt>Currency</dt>
        <dd>Deposits in USD only</dd>
        <dt>Smallest deposit, smallest withdrawal</dt>
        <dd>$1 each</dd>
        <dt>Method</dt>
        <dd>Withdrawals go out by the method that the deposit came in by</dd>
        <dt>Identity check</dt>
        <dd>
          Within {figure('identificationBusinessDays')} business days, in some cases up to{' '}
          {figure('identificationBusinessDaysAtMost')}
        </dd>
        <dt>Withdrawals</dt>
        <dd>Processed within {figure('withdrawalBusinessDays')} business days</dd>
        <dt>Bank wire</dt>
        <dd>
          Another {figure('wireBusinessDaysFrom')} to {figure('wireBusinessDaysTo')} business days until it arrives
        </dd>
      </dl>
    ),
  },
  {
    id: 'one-account',
    title: 'One account per client',
    body: (
      <p>
        Each client has one account, in his own name. We do not take payments from third parties and make none to them.
        When we find a second account of one person, we may close it and pay its balance out.
      </p>
    ),
  },
  {
    id: 'deposits',
    title: 'Deposits',
    body: (
      <>
        <p>
          Deposits are in US dollars (USD) only. The form takes any amount from $1; we recommend that you start with at
          least {figure('minimumStart')}. Before the first deposit your e-mail address must be confirmed.
        </p>
        <ul>
          <li>
            <strong>Bitcoin and Ethereum.</strong> You enter the amount in USD and see what it is in BTC or ETH at the
            rate of that moment. You send the coins to the address shown and upload a picture of the receipt, of at most
            5 MB. A person checks the transfer, as a rule within one business day, and credits the amount in USD that
            arrived.
          </li>
          <li>
            <strong>Card,</strong> where it has been set up. You pay on the page of the payment provider; we never see
            the card number. The amount is credited once the provider has confirmed it.
          </li>
        </ul>
        <p>
          A deposit is Pending, Approved or Rejected, and a rejection names its reason. Amounts in another currency are
          converted by your bank or provider, at its rate and cost. A payment that is taken back later is taken from the
          balance. What the balance does not cover is owed: deposits, winnings and returned money repay it first, and no
          withdrawal is paid until then.
        </p>
      </>
    ),
  },
  {
    id: 'withdrawals',
    title: 'Withdrawals',
    body: (
      <>
        <p>
          You withdraw any amount from $1 up to your balance, to a wallet or to a bank account (Checking or Savings), by
          the same method as the deposit. Where that is not possible we ask for a proof that the new destination is
          yours. Before the first withdrawal your identity must be approved and your e-mail address confirmed.
        </p>
        <ol>
          <li>
            <strong>Pending.</strong> The amount is set aside at once. Until a person has approved the request you can
            cancel it and have the amount back.
          </li>
          <li>
            <strong>Processing.</strong> It is approved, by two different persons where it is above $1,000 or another
            threshold that we have set, and is being paid.
          </li>
          <li>
            <strong>Paid.</strong> It is on its way to you.
          </li>
        </ol>
        <p>
          We process withdrawals within {figure('withdrawalBusinessDays')} business days. Each request shows who has it,
          since when, and by when. One that we reject, or that your bank sends back, returns to your balance with the
          reason. Saturdays and Sundays are no business days.
        </p>
      </>
    ),
  },
  {
    id: 'bank-wire',
    title: 'Bank wires',
    body: (
      <p>
        After a wire has left us it takes {figure('wireBusinessDaysFrom')} to {figure('wireBusinessDaysTo')} business
        days to arrive, depending on your bank, the banks between and the country. We cannot make it faster. Fees that
        those banks take are yours. If the bank name, account number, routing number or type of account is wrong, the
        wire comes back, and its fees may be deducted.
      </p>
    ),
  },
  {
    id: 'identity-check',
    title: 'The identity check',
    body: (
      <p>
        We check an identity within {figure('identificationBusinessDays')} business days after we have a readable
        document. In some cases, when a document has to be confirmed elsewhere or we have to ask for another, it takes
        up to {figure('identificationBusinessDaysAtMost')}. You see the status under Profile, Verify, and get an e-mail
        with the result.
      </p>
    ),
  },
  {
    id: 'identity-document',
    title: 'Rules for the identity document',
    body: (
      <ul>
        <li>
          A driver's license, an international passport, a national ID, or another official document with a photograph.
        </li>
        <li>Issued by a government, valid on the day on which you hand it in, and in the name of your account.</li>
        <li>In colour, whole, with all four corners; photograph, name, date of birth and number can be read.</li>
        <li>A photograph of the document itself: no copy, no screen, nothing covered or changed.</li>
        <li>One image of at most 5 MB.</li>
      </ul>
    ),
  },
  {
    id: 'proof-of-address',
    title: 'Rules for the proof of address',
    body: (
      <>
        <p>We may ask for one, and tell you then how to hand it in.</p>
        <ul>
          <li>
            A bill for electricity, water, gas, internet or a fixed phone, a bank statement, or a letter of an
            authority.
          </li>
          <li>Not older than three months, with its date.</li>
          <li>In your name, with the address of your profile. A post-office box is not enough.</li>
          <li>The whole page, readable. It is another document than the one that shows your identity.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'phone-number',
    title: 'Changing your phone number',
    body: (
      <ul>
        <li>You change the number under Profile. It must have at least 10 characters and be your own.</li>
        <li>We may call the new number, and the old one, before we pay the next withdrawal.</li>
        <li>If you have lost the old number, we may ask for a new photograph of your identity document.</li>
        <li>The number is no key to your account: nobody can sign in or withdraw by it alone.</li>
      </ul>
    ),
  },
  {
    id: 'plans-and-fees',
    title: 'Plans and fees',
    body: (
      <>
        <p>
          We take no fee for deposits, withdrawals or trades. A trading plan is paid once from the live balance; a
          higher plan costs the difference.
        </p>
        <PlanTable />
        <p>The price of a plan is a prepaid credit that has been used, and non-refundable.</p>
      </>
    ),
  },
  {
    id: 'statement',
    title: 'Your statement',
    body: (
      <p>
        You can download a statement of all movements, with the running balance, as CSV or PDF for any period. If an
        entry seems wrong, write to <SupportMail /> with its transaction ID. Claims are bound to the times that the{' '}
        <a href="/legal#liability">terms</a> name.
      </p>
    ),
  },
]
