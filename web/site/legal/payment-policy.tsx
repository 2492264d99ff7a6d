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
        <dd>Withdrawals use the same method as the deposit</dd>
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
        Each client has one account, in their own name. We don't accept payments from third parties or make payments to
        them. If we find a second account of the same client, we may close it and pay out its balance.
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
          least {figure('minimumStart')}. You must confirm your e-mail address before the first deposit.
        </p>
        <ul>
          <li>
            <strong>Bitcoin and Ethereum.</strong> Enter the amount in USD, and you see the amount in BTC or ETH at the
            current rate. Send the coins to the address shown and upload an image of the receipt, of at most 5 MB. An
            operator checks the transfer, usually within one business day, and credits the amount in USD that arrived.
          </li>
          <li>
            <strong>Card,</strong> where available. You pay on the payment provider's page; we never see your card
            number. We credit the amount once the provider confirms it.
          </li>
        </ul>
        <p>
          A deposit is Pending, Approved or Rejected, and a rejection states its reason. Your bank or provider converts
          amounts in another currency, at its rate and cost. If a payment is reversed later, we deduct it from your
          balance. If your balance doesn't cover it, you owe the rest: deposits, winnings and returned money repay it
          first, and no withdrawal is paid until then.
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
          You can withdraw any amount from $1 up to your balance, to a wallet or to a bank account (Checking or
          Savings), by the same method as the deposit. If that isn't possible, we ask for proof that the new destination
          is yours. Before the first withdrawal, your identity must be approved and your e-mail address confirmed.
        </p>
        <ol>
          <li>
            <strong>Pending.</strong> We hold the amount right away. Until an operator approves the request, you can
            cancel it and get the amount back.
          </li>
          <li>
            <strong>Processing.</strong> The request is approved, by two different people if it's above $1,000 or
            another threshold that we have set, and is being paid.
          </li>
          <li>
            <strong>Paid.</strong> The money is on its way to you.
          </li>
        </ol>
        <p>
          We process withdrawals within {figure('withdrawalBusinessDays')} business days. Each request shows who is
          handling it, since when, and by when. If we reject a request, or your bank returns the payment, the amount
          returns to your balance with the reason. Saturdays and Sundays aren't business days.
        </p>
      </>
    ),
  },
  {
    id: 'bank-wire',
    title: 'Bank wires',
    body: (
      <p>
        After we send a wire, it takes {figure('wireBusinessDaysFrom')} to {figure('wireBusinessDaysTo')} business days
        to arrive, depending on your bank, the intermediary banks and the country. We can't speed this up. You pay any
        fees those banks charge. If the bank name, account number, routing number or type of account is wrong, the wire
        is returned, and its fees may be deducted.
      </p>
    ),
  },
  {
    id: 'identity-check',
    title: 'The identity check',
    body: (
      <p>
        We check an identity within {figure('identificationBusinessDays')} business days after we receive a readable
        document. In some cases, if a document must be confirmed elsewhere or we must ask for another, it takes up to{' '}
        {figure('identificationBusinessDaysAtMost')}. You can see the status under Profile → KYC verification, and we
        e-mail you the result.
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
        <li>Issued by a government, valid on the day you upload it, and in the name of your account.</li>
        <li>
          In color and complete, with all four corners; photograph, name, date of birth and number must be readable.
        </li>
        <li>A photo of the document itself: no copies, no screens, nothing covered or altered.</li>
        <li>One image of at most 5 MB.</li>
      </ul>
    ),
  },
  {
    id: 'proof-of-address',
    title: 'Rules for the proof of address',
    body: (
      <>
        <p>We may ask for one, and tell you then how to submit it.</p>
        <ul>
          <li>
            A bill for electricity, water, gas, internet or a landline, a bank statement, or an official notice from an
            authority.
          </li>
          <li>Dated, and no more than three months old.</li>
          <li>In your name, with the address of your profile. A PO box isn't enough.</li>
          <li>The whole page, readable. It must be a different document from your identity document.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'phone-number',
    title: 'Changing your phone number',
    body: (
      <ul>
        <li>Change the number under Profile → Edit profile. It must have at least 10 characters and be yours.</li>
        <li>We may call the new number, and the old one, before we pay the next withdrawal.</li>
        <li>If you've lost the old number, we may ask for a new photo of your identity document.</li>
        <li>The number doesn't give access to your account: no one can sign in or withdraw with it alone.</li>
      </ul>
    ),
  },
  {
    id: 'plans-and-fees',
    title: 'Plans and fees',
    body: (
      <>
        <p>
          We charge no fees for deposits, withdrawals or trades. You pay for a trading plan once, from your live
          balance; a higher plan costs the difference.
        </p>
        <PlanTable />
        <p>The price of a plan is a used prepaid credit, and is non-refundable.</p>
      </>
    ),
  },
  {
    id: 'statement',
    title: 'Your statement',
    body: (
      <p>
        You can download a statement of all movements, with the running balance, as CSV or PDF for any period. If an
        entry seems wrong, write to <SupportMail /> with its transaction ID. The time limits for claims are in the{' '}
        <a href="/legal#liability">terms</a>.
      </p>
    ),
  },
]
