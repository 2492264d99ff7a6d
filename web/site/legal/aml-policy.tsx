import { figure } from '#web/ui/index.ts'
import type { LegalSection } from '../legal-page.tsx'
import { SupportMail } from '../parts/facts.tsx'

/** Anti-money laundering and know your customer. */
export const AML_POLICY: readonly LegalSection[] = [
  {
    id: 'purpose',
    title: 'What this policy is for',
    body: (
      <p>
        Money laundering hides where the proceeds of a crime come from; terrorist financing hides where money goes. We
        take no part in either. This policy (AML, anti-money laundering, and KYC, know your client) says what we check,
        what we ask of you, and what happens when something does not fit.
      </p>
    ),
  },
  {
    id: 'principles',
    title: 'Principles',
    body: (
      <ul>
        <li>One person, one account. No anonymous accounts and none in an assumed name.</li>
        <li>Money comes from the client himself and goes back to him, by the same method.</li>
        <li>Nothing is withdrawn before the identity is approved and the e-mail address confirmed.</li>
        <li>We take no cash, and pay none.</li>
        <li>The demo account needs none of this: no money moves in it.</li>
      </ul>
    ),
  },
  {
    id: 'who-you-are',
    title: 'How we find out who you are',
    body: (
      <>
        <p>
          After registration we ask for your name, date of birth, address, country and phone, and for one of these
          documents:
        </p>
        <ul>
          <li>driver's license;</li>
          <li>international passport;</li>
          <li>national ID;</li>
          <li>another official document with a photograph.</li>
        </ul>
        <p>
          It is handed in as one image of at most 5 MB, under Profile, Verify or at the end of the registration. A check
          is Pending, Approved or Rejected; a rejection names its reason, and you may then hand in another document. The
          check takes up to {figure('identificationBusinessDays')} business days, in some cases up to{' '}
          {figure('identificationBusinessDaysAtMost')}. What a document must look like is said in the{' '}
          <a href="/payment-policy#identity-document">Payment Policy</a>.
        </p>
      </>
    ),
  },
  {
    id: 'closer-look',
    title: 'When we look closer',
    body: (
      <>
        <p>We may ask for more, such as a proof of address or of where money comes from:</p>
        <ul>
          <li>when amounts are high, or do not fit what we know of you;</li>
          <li>when you hold or have held a high public office, or are close to somebody who does;</li>
          <li>when you live in or pay from a country with a high risk;</li>
          <li>when details contradict each other, or have changed shortly before a withdrawal.</li>
        </ul>
        <p>Persons and countries under sanctions are not served.</p>
      </>
    ),
  },
  {
    id: 'monitoring',
    title: 'What we watch',
    body: (
      <>
        <p>
          Each deposit of coins and each withdrawal is looked at by a person. The desk is shown, among other things:
        </p>
        <ul>
          <li>a receipt, a wallet or a bank account that has been seen before;</li>
          <li>a withdrawal by another method than the deposit;</li>
          <li>what looks like a second account of one person.</li>
        </ul>
        <p>
          Above a threshold, $1,000 unless we have set another, two different persons approve. Nobody decides about an
          item of his own.
        </p>
      </>
    ),
  },
  {
    id: 'consequences',
    title: 'What happens when something does not fit',
    body: (
      <p>
        We ask you. Until the matter is clear we may close deposits, trading or withdrawals on the account, refuse a
        payment, or end the agreement. Where the law obliges us we report to the authorities, and may not tell you that
        we did. Money is returned the way it came unless an authority forbids it.
      </p>
    ),
  },
  {
    id: 'records',
    title: 'What we keep',
    body: (
      <p>
        Documents, payments and decisions are kept for as long as the law prescribes. Documents are encrypted. Every
        decision, and every look at a document, is written with person, time and reason to a log in which a changed or
        missing entry is noticed. More is said in the <a href="/privacy">Privacy Policy</a>.
      </p>
    ),
  },
  {
    id: 'your-part',
    title: 'What we ask of you',
    body: (
      <ul>
        <li>
          Give true details, and tell us within {figure('privacyChangeDays')} days when one that identifies you changes.
        </li>
        <li>Pay from accounts, cards and wallets that are yours.</li>
        <li>Answer questions about a payment, and keep its papers.</li>
        <li>
          Tell us at once when somebody asks you to pay in or out for him: <SupportMail />.
        </li>
      </ul>
    ),
  },
  {
    id: 'responsibility',
    title: 'Who sees to it',
    body: (
      <p>
        Identity checks are the work of the compliance role at our desk, payments of the finance role; support never
        moves money.
      </p>
    ),
  },
]
